// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/comm/communicator.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "prismllm/base/error.hpp"
#include "prismllm/comm/environment.hpp"

#include "mpi_call.hpp"
#include "request_impl.hpp"

namespace prismllm::comm {
namespace {

// Slicing on one process may keep the others for minutes, never for this long.
constexpr std::chrono::minutes default_wait_limit{30};
// Broadcasts of more go in pieces of this, far below MPI's limit of INT_MAX.
constexpr std::size_t piece_bytes = std::size_t{1} << 28;
// The standard guarantees this much of every library.
constexpr int smallest_tag_limit = 32767;

MPI_Op mpi_op(Reduction reduction) {
    switch (reduction) {
        case Reduction::min:
            return MPI_MIN;
        case Reduction::max:
            return MPI_MAX;
        case Reduction::sum:
            return MPI_SUM;
    }
    return MPI_OP_NULL;
}

}  // namespace

struct Communicator::Impl {
    MPI_Comm comm = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
    std::chrono::milliseconds wait_limit = default_wait_limit;

    /// Takes the communicator over.
    Impl(MPI_Comm taken, std::chrono::milliseconds limit) : comm{taken}, wait_limit{limit} {
        mpi_call(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
        mpi_call(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
        mpi_call(MPI_Comm_size(comm, &size), "MPI_Comm_size");
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() {
        if (std::uncaught_exceptions() == 0 && is_running()) {
            MPI_Comm_free(&comm);
        }
    }

    void wait(MPI_Request& request, std::string_view call) const {
        wait_for(request, call, rank, wait_limit);
    }

    void broadcast(void* data, std::size_t bytes, int root) const {
        auto* next = static_cast<std::byte*>(data);
        while (bytes > 0) {
            const std::size_t piece = std::min(bytes, piece_bytes);
            MPI_Request request = MPI_REQUEST_NULL;
            mpi_call(
                MPI_Ibcast(next, mpi_count(piece, "MPI_Ibcast"), MPI_BYTE, root, comm, &request),
                "MPI_Ibcast");
            wait(request, "MPI_Ibcast");
            next += piece;
            bytes -= piece;
        }
    }

    template <class Value>
    void reduce_all(std::span<Value> values, MPI_Datatype type, Reduction reduction) const {
        MPI_Request request = MPI_REQUEST_NULL;
        mpi_call(
            MPI_Iallreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size(), "MPI_Iallreduce"),
                           type, mpi_op(reduction), comm, &request),
            "MPI_Iallreduce");
        wait(request, "MPI_Iallreduce");
    }

    template <class Value>
    [[nodiscard]] Request start_send(int to, int tag, std::span<const Value> values,
                                     MPI_Datatype type) const;
    template <class Value>
    [[nodiscard]] Request start_recv(int from, int tag, std::span<Value> values,
                                     MPI_Datatype type) const;
    /// What every member brought, by rank; empty on all but the root.
    template <class Value>
    std::vector<std::vector<Value>> gather(const Value* data, std::size_t count, MPI_Datatype type,
                                           int root) const;
};

template <class Value>
std::vector<std::vector<Value>> Communicator::Impl::gather(const Value* data, std::size_t count,
                                                           MPI_Datatype type, int root) const {
    const int mine = mpi_count(count, "MPI_Igatherv");
    std::vector<int> counts(rank == root ? static_cast<std::size_t>(size) : 0);
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call(MPI_Igather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, root, comm, &request),
             "MPI_Igather");
    wait(request, "MPI_Igather");

    std::vector<int> begins;
    std::size_t total = 0;
    for (const int part : counts) {
        begins.push_back(mpi_count(total, "MPI_Igatherv"));
        total += static_cast<std::size_t>(part);
    }
    std::vector<Value> all(total);
    mpi_call(MPI_Igatherv(data, mine, type, all.data(), counts.data(), begins.data(), type, root,
                          comm, &request),
             "MPI_Igatherv");
    wait(request, "MPI_Igatherv");

    std::vector<std::vector<Value>> parts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const auto begin = all.begin() + begins[i];
        parts.emplace_back(begin, begin + counts[i]);
    }
    return parts;
}

template <class Value>
Request Communicator::Impl::start_send(int to, int tag, std::span<const Value> values,
                                       MPI_Datatype type) const {
    auto impl = std::make_unique<Request::Impl>();
    mpi_call(MPI_Isend(values.data(), mpi_count(values.size(), "MPI_Isend"), type, to, tag, comm,
                       &impl->request),
             "MPI_Isend");
    return Request{std::move(impl)};
}

template <class Value>
Request Communicator::Impl::start_recv(int from, int tag, std::span<Value> values,
                                       MPI_Datatype type) const {
    auto impl = std::make_unique<Request::Impl>();
    impl->is_receive = true;
    mpi_call(MPI_Irecv(values.data(), mpi_count(values.size(), "MPI_Irecv"), type, from, tag, comm,
                       &impl->request),
             "MPI_Irecv");
    return Request{std::move(impl)};
}

Communicator::Communicator(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Communicator::~Communicator() = default;
Communicator::Communicator(Communicator&& other) noexcept = default;
Communicator& Communicator::operator=(Communicator&& other) noexcept = default;

Communicator Communicator::world() {
    MPI_Comm copy = MPI_COMM_NULL;
    mpi_call(MPI_Comm_dup(MPI_COMM_WORLD, &copy), "MPI_Comm_dup");
    return Communicator{std::make_unique<Impl>(copy, default_wait_limit)};
}

int Communicator::rank() const {
    return impl_->rank;
}

int Communicator::size() const {
    return impl_->size;
}

Communicator Communicator::duplicate() const {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call(MPI_Comm_idup(impl_->comm, &copy, &request), "MPI_Comm_idup");
    impl_->wait(request, "MPI_Comm_idup");
    return Communicator{std::make_unique<Impl>(copy, impl_->wait_limit)};
}

Communicator Communicator::split_by_node() const {
    MPI_Comm part = MPI_COMM_NULL;
    mpi_call(
        MPI_Comm_split_type(impl_->comm, MPI_COMM_TYPE_SHARED, impl_->rank, MPI_INFO_NULL, &part),
        "MPI_Comm_split_type");
    return Communicator{std::make_unique<Impl>(part, impl_->wait_limit)};
}

std::optional<Communicator> Communicator::subset(std::span<const int> members) const {
    PRISMLLM_ASSERT(std::is_sorted(members.begin(), members.end()), "members are ascending");
    const bool inside = std::binary_search(members.begin(), members.end(), impl_->rank);
    return split(inside ? std::optional<int>{0} : std::nullopt, impl_->rank);
}

std::optional<Communicator> Communicator::split(std::optional<int> color, int key) const {
    MPI_Comm part = MPI_COMM_NULL;
    mpi_call(MPI_Comm_split(impl_->comm, color.value_or(MPI_UNDEFINED), key, &part),
             "MPI_Comm_split");
    if (part == MPI_COMM_NULL) {
        return std::nullopt;
    }
    return Communicator{std::make_unique<Impl>(part, impl_->wait_limit)};
}

void Communicator::limit_waits(std::chrono::milliseconds limit) {
    impl_->wait_limit = limit;
}

void Communicator::barrier() const {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call(MPI_Ibarrier(impl_->comm, &request), "MPI_Ibarrier");
    impl_->wait(request, "MPI_Ibarrier");
}

void Communicator::broadcast(std::vector<std::byte>& bytes, int root) const {
    auto length = static_cast<std::int64_t>(bytes.size());
    impl_->broadcast(&length, sizeof length, root);
    bytes.resize(static_cast<std::size_t>(length));
    impl_->broadcast(bytes.data(), bytes.size(), root);
}

void Communicator::broadcast(std::string& text, int root) const {
    auto length = static_cast<std::int64_t>(text.size());
    impl_->broadcast(&length, sizeof length, root);
    text.resize(static_cast<std::size_t>(length));
    impl_->broadcast(text.data(), text.size(), root);
}

std::int64_t Communicator::reduce_all(std::int64_t value, Reduction reduction) const {
    reduce_all(std::span{&value, 1}, reduction);
    return value;
}

void Communicator::reduce_all(std::span<std::int64_t> values, Reduction reduction) const {
    impl_->reduce_all(values, MPI_INT64_T, reduction);
}

void Communicator::reduce_all(std::span<float> values, Reduction reduction) const {
    impl_->reduce_all(values, MPI_FLOAT, reduction);
}

void Communicator::reduce_all(std::span<double> values, Reduction reduction) const {
    impl_->reduce_all(values, MPI_DOUBLE, reduction);
}

void Communicator::gather_all(std::span<const float> own, std::span<float> all) const {
    const int count = mpi_count(own.size(), "MPI_Iallgather");
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call(MPI_Iallgather(own.data(), count, MPI_FLOAT, all.data(), count, MPI_FLOAT, impl_->comm,
                            &request),
             "MPI_Iallgather");
    impl_->wait(request, "MPI_Iallgather");
}

void Communicator::sum_and_scatter(std::span<const float> all, std::span<float> own) const {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi_call(MPI_Ireduce_scatter_block(all.data(), own.data(),
                                       mpi_count(own.size(), "MPI_Ireduce_scatter_block"),
                                       MPI_FLOAT, MPI_SUM, impl_->comm, &request),
             "MPI_Ireduce_scatter_block");
    impl_->wait(request, "MPI_Ireduce_scatter_block");
}

std::vector<std::vector<std::int64_t>> Communicator::gather(std::span<const std::int64_t> values,
                                                            int root) const {
    return impl_->gather(values.data(), values.size(), MPI_INT64_T, root);
}

std::vector<std::string> Communicator::gather(const std::string& text, int root) const {
    std::vector<std::string> texts;
    for (const auto& part : impl_->gather(text.data(), text.size(), MPI_CHAR, root)) {
        texts.emplace_back(part.begin(), part.end());
    }
    return texts;
}

Request Communicator::start_max(std::span<std::int64_t> values) const {
    auto impl = std::make_unique<Request::Impl>();
    mpi_call(MPI_Iallreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size(), "MPI_Iallreduce"),
                            MPI_INT64_T, MPI_MAX, impl_->comm, &impl->request),
             "MPI_Iallreduce");
    return Request{std::move(impl)};
}

Request Communicator::start_send(int to, int tag, std::span<const std::int64_t> values) const {
    return impl_->start_send(to, tag, values, MPI_INT64_T);
}

Request Communicator::start_recv(int from, int tag, std::span<std::int64_t> values) const {
    return impl_->start_recv(from, tag, values, MPI_INT64_T);
}

Request Communicator::start_send(int to, int tag, std::span<const float> values) const {
    return impl_->start_send(to, tag, values, MPI_FLOAT);
}

Request Communicator::start_recv(int from, int tag, std::span<float> values) const {
    return impl_->start_recv(from, tag, values, MPI_FLOAT);
}

void Communicator::finish(Request& request) const {
    if (request.impl_ != nullptr) {
        impl_->wait(request.impl_->request, request.impl_->is_receive ? "MPI_Irecv" : "MPI_Isend");
        request.impl_.reset();
    }
}

int Communicator::largest_tag() const {
    void* value = nullptr;
    int found = 0;
    mpi_call(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
    return found != 0 ? *static_cast<int*>(value) : smallest_tag_limit;
}

int Communicator::fortran_handle() const {
    return static_cast<int>(MPI_Comm_c2f(impl_->comm));
}

}  // namespace prismllm::comm
