// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/comm/communicator.hpp
/// Processes that act together. MPI stands behind it and shows nowhere in this header.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "prismllm/comm/request.hpp"

namespace prismllm::comm {

enum class Reduction : std::uint8_t { min, max, sum };

/// An MPI communicator of our own (never MPI_COMM_WORLD itself), freed with the object unless
/// an exception is on its way up.
///
/// Every failure of MPI is a SystemError that carries MPI's text. No wait keeps the core busy
/// (backoff.hpp), and none is longer than the wait limit. Functions marked collective must be
/// called by all members in the same order.
class Communicator {
public:
    /// A duplicate of all processes of the job. @collective
    [[nodiscard]] static Communicator world();

    ~Communicator();
    Communicator(Communicator&& other) noexcept;
    Communicator& operator=(Communicator&& other) noexcept;

    /// Number of this process among the members, 0 .. size()-1.
    [[nodiscard]] int rank() const;
    [[nodiscard]] int size() const;

    /// @collective
    [[nodiscard]] Communicator duplicate() const;
    /// The members that share this process's memory, in the order of this communicator.
    /// @collective
    [[nodiscard]] Communicator split_by_node() const;
    /// A communicator of `members` (ascending ranks of this one; the same list everywhere).
    /// @return nothing on processes that are not among them. @collective over all, members or not
    [[nodiscard]] std::optional<Communicator> subset(std::span<const int> members) const;

    /// The members that name the same color, ordered by key; none: nothing is made here.
    /// @collective over all, whatever they name
    [[nodiscard]] std::optional<Communicator> split(std::optional<int> color, int key) const;

    /// Longest that any wait may take; copied to communicators made from this one.
    void limit_waits(std::chrono::milliseconds limit);

    /// @collective
    void barrier() const;
    /// Copy root's bytes to everyone; the length is root's. @collective
    void broadcast(std::vector<std::byte>& bytes, int root = 0) const;
    void broadcast(std::string& text, int root = 0) const;
    /// @collective
    [[nodiscard]] std::int64_t reduce_all(std::int64_t value, Reduction reduction) const;
    /// Element by element, in place; all members bring the same number of values. @collective
    void reduce_all(std::span<std::int64_t> values, Reduction reduction) const;
    void reduce_all(std::span<float> values, Reduction reduction) const;
    void reduce_all(std::span<double> values, Reduction reduction) const;
    /// all = what every member brought, by rank. @pre all.size() = size() * own.size(). @collective
    void gather_all(std::span<const float> own, std::span<float> all) const;
    /// own = this member's part, by rank, of the sum over all. @pre as gather_all. @collective
    void sum_and_scatter(std::span<const float> all, std::span<float> own) const;
    /// What every member brought (any length), by rank; empty on all but the root. @collective
    [[nodiscard]] std::vector<std::vector<std::int64_t>> gather(
        std::span<const std::int64_t> values, int root = 0) const;
    [[nodiscard]] std::vector<std::string> gather(const std::string& text, int root = 0) const;

    /// Start an element-wise maximum over all members, in place. @collective
    [[nodiscard]] Request start_max(std::span<std::int64_t> values) const;
    /// Start to send / receive values; the receiver names the exact length.
    /// @pre 0 <= tag <= largest_tag(). @local
    [[nodiscard]] Request start_send(int to, int tag, std::span<const std::int64_t> values) const;
    [[nodiscard]] Request start_recv(int from, int tag, std::span<std::int64_t> values) const;
    [[nodiscard]] Request start_send(int to, int tag, std::span<const float> values) const;
    [[nodiscard]] Request start_recv(int from, int tag, std::span<float> values) const;
    /// Until the request is complete, no longer than the wait limit.
    void finish(Request& request) const;
    [[nodiscard]] int largest_tag() const;

    /// MPI_Comm_c2f of the communicator, for libraries that take one (HDF5). Not a duplicate.
    [[nodiscard]] int fortran_handle() const;

private:
    struct Impl;
    explicit Communicator(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace prismllm::comm
