// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A file that is seen under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "prismllm/base/error.hpp"

namespace prismllm::store {

/// `<path>.<mark>.tmp` while it is being written. What is not committed is removed: at once when
/// a step fails (other processes may look as soon as they are told), else with the object.
class UnfinishedFile {
public:
    /// Processes that write one file together share a mark; each job has its own, so that two
    /// jobs with one output do not write into each other's file: the last one to end wins.
    explicit UnfinishedFile(std::filesystem::path path, std::int64_t mark = new_mark());
    [[nodiscard]] static std::int64_t new_mark();
    ~UnfinishedFile();
    UnfinishedFile(const UnfinishedFile&) = delete;
    UnfinishedFile& operator=(const UnfinishedFile&) = delete;

    [[nodiscard]] const std::filesystem::path& temporary_path() const { return temporary_; }
    /// @return resources when there is no room, system otherwise.
    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    /// Give the file its name; an older file of that name is replaced.
    [[nodiscard]] Status commit();

private:
    void discard();

    std::filesystem::path path_;
    std::filesystem::path temporary_;
    bool pending_ = false;
};

/// Why a file cannot grow (the operating system's text), found by trying; empty when it can.
/// MPI-IO says only that something failed.
[[nodiscard]] std::string growth_problem(const std::filesystem::path& path);

/// The error of a write to `path` that failed for `reason` (operating system, HDF5 or MPI text).
[[nodiscard]] Error write_error(const std::filesystem::path& path, std::string_view reason);

}  // namespace prismllm::store
