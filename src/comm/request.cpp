// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/request.hpp"

#include <utility>

#include "prismllm/comm/environment.hpp"

#include "mpi_call.hpp"
#include "request_impl.hpp"

namespace prismllm::comm {

Request::Request() = default;
Request::Request(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Request::Request(Request&& other) noexcept = default;

Request& Request::operator=(Request&& other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
}

Request::~Request() {
    // Results are ignored: nobody could act on a failure here. Only a receive can be cancelled
    // without the peer; sends and reductions must be left alone.
    if (impl_ != nullptr && impl_->is_receive && is_running()) {
        MPI_Cancel(&impl_->request);
        MPI_Wait(&impl_->request, MPI_STATUS_IGNORE);
    }
}

bool Request::test() {
    if (impl_ == nullptr) {
        return true;
    }
    int done = 0;
    mpi_call(MPI_Test(&impl_->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done != 0) {
        impl_.reset();
    }
    return done != 0;
}

}  // namespace prismllm::comm
