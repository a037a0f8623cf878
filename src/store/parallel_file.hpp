// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// The processes that write one file together. parallel_file.cpp is the only file of this room
/// that sees mpi.h: HDF5's collective mode wants a communicator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/store/result_file.hpp"

#include "hdf5_handle.hpp"

namespace prismllm::store {

class Team {
public:
    /// @collective
    explicit Team(ParallelAccess access);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    [[nodiscard]] int self() const;
    [[nodiscard]] int size() const;
    [[nodiscard]] std::size_t piece_bytes() const;

    /// The outcome of the lowest process that failed, on all. @collective
    [[nodiscard]] Status agree(const Status& mine) const;
    /// Values of all processes end to end, in process order. @collective
    [[nodiscard]] std::vector<std::int64_t> gather(std::span<const std::int64_t> mine) const;
    /// Send rows of `width` values to the processes named, one a row. They arrive in any order: a
    /// call of MPI takes a piece of the rows. @collective
    [[nodiscard]] std::vector<std::int64_t> exchange(std::span<const std::int64_t> rows,
                                                     std::size_t width,
                                                     std::span<const int> destinations) const;

    /// An existing file, open for collective writing; throws SystemError. @collective
    [[nodiscard]] Handle open(const std::filesystem::path& path) const;
    /// Transfer properties of collective writes.
    [[nodiscard]] static Handle collective_transfer();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace prismllm::store
