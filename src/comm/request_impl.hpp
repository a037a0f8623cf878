// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file request_impl.hpp
#pragma once

#include <mpi.h>

#include "prismllm/comm/request.hpp"

namespace prismllm::comm {

struct Request::Impl {
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_receive = false;
};

}  // namespace prismllm::comm
