// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "parallel_file.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <mpi.h>

namespace prismllm::store {
namespace {

// Bounded, so that one process cannot make the others allocate at will.
constexpr std::size_t longest_message = 4096;

void mpi_call(int code) {
    if (code != MPI_SUCCESS) {
        std::array<char, MPI_MAX_ERROR_STRING> text{};
        int length = 0;
        MPI_Error_string(code, text.data(), &length);
        throw SystemError{ErrorCode::system,
                          fmt::format("MPI failed while a result was written ({})", text.data())};
    }
}

std::vector<int> starts_of(const std::vector<int>& counts) {
    std::vector<int> starts(counts.size(), 0);
    std::partial_sum(counts.begin(), counts.end() - 1, starts.begin() + 1);
    return starts;
}

// One row as a unit, so that MPI's int counts are rows and not values.
class RowType {
public:
    explicit RowType(std::size_t width) {
        mpi_call(MPI_Type_contiguous(static_cast<int>(width), MPI_INT64_T, &type_));
        mpi_call(MPI_Type_commit(&type_));
    }
    ~RowType() { MPI_Type_free(&type_); }
    RowType(const RowType&) = delete;
    RowType& operator=(const RowType&) = delete;
    [[nodiscard]] MPI_Datatype type() const { return type_; }

private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

struct Team::Impl {
    MPI_Comm communicator = MPI_COMM_NULL;
    int self = 0;
    int size = 1;
    std::size_t piece_bytes = 0;

    void exchange(std::span<const std::int64_t> rows, std::size_t width,
                  std::span<const int> destinations, std::vector<std::int64_t>& incoming) const;
};

Team::Team(ParallelAccess access) : impl_{std::make_unique<Impl>()} {
    mpi_call(MPI_Comm_dup(MPI_Comm_f2c(static_cast<MPI_Fint>(access.fortran_communicator)),
                          &impl_->communicator));
    mpi_call(MPI_Comm_set_errhandler(impl_->communicator, MPI_ERRORS_RETURN));
    mpi_call(MPI_Comm_rank(impl_->communicator, &impl_->self));
    mpi_call(MPI_Comm_size(impl_->communicator, &impl_->size));
    impl_->piece_bytes = access.piece_bytes;
}

Team::~Team() {
    // MPI_Comm_free is collective: while an exception flies the others are elsewhere.
    if (std::uncaught_exceptions() == 0) {
        MPI_Comm_free(&impl_->communicator);
    }
}

int Team::self() const {
    return impl_->self;
}

int Team::size() const {
    return impl_->size;
}

std::size_t Team::piece_bytes() const {
    return impl_->piece_bytes;
}

Status Team::agree(const Status& mine) const {
    const int candidate = mine ? size() : self();
    int failed = size();
    mpi_call(MPI_Allreduce(&candidate, &failed, 1, MPI_INT, MPI_MIN, impl_->communicator));
    if (failed == size()) {
        return {};
    }
    std::array<int, 2> header{};
    std::string text;
    if (failed == self()) {
        text = mine.error().message.substr(0, longest_message);
        header = {static_cast<int>(mine.error().code), static_cast<int>(text.size())};
    }
    mpi_call(MPI_Bcast(header.data(), 2, MPI_INT, failed, impl_->communicator));
    text.resize(static_cast<std::size_t>(header[1]));
    mpi_call(MPI_Bcast(text.data(), header[1], MPI_CHAR, failed, impl_->communicator));
    return tl::unexpected{Error{static_cast<ErrorCode>(header[0]), text}};
}

std::vector<std::int64_t> Team::gather(std::span<const std::int64_t> mine) const {
    const int count = static_cast<int>(mine.size());
    std::vector<int> counts(static_cast<std::size_t>(size()));
    mpi_call(MPI_Allgather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, impl_->communicator));
    const auto starts = starts_of(counts);
    std::vector<std::int64_t> all(static_cast<std::size_t>(starts.back() + counts.back()));
    mpi_call(MPI_Allgatherv(mine.data(), count, MPI_INT64_T, all.data(), counts.data(),
                            starts.data(), MPI_INT64_T, impl_->communicator));
    return all;
}

/// One call of MPI; appends what arrives.
void Team::Impl::exchange(std::span<const std::int64_t> rows, std::size_t width,
                          std::span<const int> destinations,
                          std::vector<std::int64_t>& incoming) const {
    std::vector<int> counts(static_cast<std::size_t>(size), 0);
    for (const int to : destinations) {
        ++counts[static_cast<std::size_t>(to)];
    }
    const auto starts = starts_of(counts);
    auto next = starts;
    std::vector<std::int64_t> outgoing(rows.size());
    for (std::size_t i = 0; i < destinations.size(); ++i) {
        const auto slot =
            static_cast<std::size_t>(next[static_cast<std::size_t>(destinations[i])]++);
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                    outgoing.begin() + static_cast<std::ptrdiff_t>(slot * width));
    }
    std::vector<int> arriving(counts.size());
    mpi_call(MPI_Alltoall(counts.data(), 1, MPI_INT, arriving.data(), 1, MPI_INT, communicator));
    const auto arriving_starts = starts_of(arriving);
    const auto total = static_cast<std::size_t>(arriving_starts.back() + arriving.back());
    const std::size_t before = incoming.size();
    incoming.resize(before + total * width);
    const RowType row{width};
    mpi_call(MPI_Alltoallv(outgoing.data(), counts.data(), starts.data(), row.type(),
                           incoming.data() + before, arriving.data(), arriving_starts.data(),
                           row.type(), communicator));
}

std::vector<std::int64_t> Team::exchange(std::span<const std::int64_t> rows, std::size_t width,
                                         std::span<const int> destinations) const {
    const std::size_t piece =
        std::max<std::size_t>(1, impl_->piece_bytes / (width * sizeof(std::int64_t)));
    const auto mine = static_cast<std::int64_t>((destinations.size() + piece - 1) / piece);
    std::int64_t calls = 0;
    mpi_call(MPI_Allreduce(&mine, &calls, 1, MPI_INT64_T, MPI_MAX, impl_->communicator));
    std::vector<std::int64_t> incoming;
    for (std::int64_t call = 0; call < calls; ++call) {
        const std::size_t first =
            std::min(destinations.size(), static_cast<std::size_t>(call) * piece);
        const std::size_t count = std::min(piece, destinations.size() - first);
        impl_->exchange(rows.subspan(first * width, count * width), width,
                        destinations.subspan(first, count), incoming);
    }
    return incoming;
}

namespace {

/// Metadata stays in memory until the file is closed. HDF5 1.10 writes a node of a chunk index that
/// it evicts during a collective write with the MPI types of that write: wild addresses, a file of
/// many gigabytes. An index of a million chunks takes 80 MB.
bool keep_metadata(hid_t access) {
    H5AC_cache_config_t cache{};
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    if (H5Pget_mdc_config(access, &cache) < 0) {
        return false;
    }
    cache.evictions_enabled = 0;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    return H5Pset_mdc_config(access, &cache) >= 0;
}

}  // namespace

Handle Team::open(const std::filesystem::path& path) const {
    const Handle access{H5Pcreate(H5P_FILE_ACCESS)};
    const bool prepared = access.is_open() &&
                          H5Pset_fapl_mpio(access.id(), impl_->communicator, MPI_INFO_NULL) >= 0 &&
                          keep_metadata(access.id());
    Handle file{prepared ? H5Fopen(path.c_str(), H5F_ACC_RDWR, access.id()) : H5I_INVALID_HID};
    if (!file.is_open()) {
        throw SystemError{ErrorCode::system, hdf5_reason()};
    }
    return file;
}

Handle Team::collective_transfer() {
    Handle transfer{H5Pcreate(H5P_DATASET_XFER)};
    if (!transfer.is_open() || H5Pset_dxpl_mpio(transfer.id(), H5FD_MPIO_COLLECTIVE) < 0) {
        throw SystemError{ErrorCode::system, hdf5_reason()};
    }
    return transfer;
}

}  // namespace prismllm::store
