// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// An executor that holds no data but knows which elements were written, by which stream, and in
/// which order streams are bound to run. It tells what an executor with real memory would get
/// wrong: values never written, accesses that race, leaks, operands of the wrong size.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prismllm/program/executor.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::program {

class CheckingExecutor final : public Executor {
public:
    explicit CheckingExecutor(const Setup& setup) : setup_{setup} {}

    [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
    /// Names of the tensors that live now and are no parameter, gradient or optimizer state.
    [[nodiscard]] std::set<std::string> leftovers() const;
    /// Elements that this rank put into the norm of the gradient so far.
    [[nodiscard]] std::int64_t normed_elements() const { return normed_elements_; }
    /// Bytes of `role` that live now.
    [[nodiscard]] std::int64_t live_bytes(graph::TensorRole role) const;

    void initialize(Buffer weight, const ParameterPart& part) override;
    void initialize_master(Buffer master, Buffer weight) override;
    void load(Buffer buffer, Input input) override;
    Buffer allocate(std::string_view name, graph::TensorRole role, graph::DType dtype,
                    std::int64_t elements) override;
    void release(Buffer buffer) override;
    void launch(Stream stream, const graph::Kernel& kernel, std::span<const Buffer> reads,
                std::span<const Buffer> writes) override;
    void communicate(Stream stream, const graph::Communication& call, Buffer in,
                     Buffer out) override;
    void begin_batch() override {}
    void end_batch() override {}
    Event record(Stream stream) override;
    void wait(Stream stream, Event event) override;
    void enter(graph::Phase) override {}
    void locate(std::int64_t, std::int64_t) override {}

private:
    /// How far each stream has come, as far as one stream can know (a vector clock).
    using Clock = std::array<std::int64_t, stream_count>;
    struct Access {
        std::int64_t first = 0, end = 0;  ///< elements
        std::size_t stream = 0;
        std::int64_t tick = 0;
        bool write = false;
    };
    struct Tensor {
        std::string name;
        graph::TensorRole role = graph::TensorRole::activation;
        std::int64_t elements = 0, bytes = 0;
        bool alive = true;
        std::map<std::int64_t, std::int64_t> written;  ///< first -> end, disjoint, not adjacent
        std::vector<Access> accesses;
    };

    void problem(const std::string& what) { problems_.push_back(what); }
    /// The tensor of a part that must be alive and inside of it; null if it is not.
    Tensor* find(Buffer buffer, const std::string& user);
    void read(std::size_t stream, Buffer buffer, const std::string& user);
    void write(std::size_t stream, Buffer buffer, const std::string& user);
    void expect_ordered(std::size_t stream, const Tensor& tensor, const Access& access,
                        const std::string& user);
    static void remember(Tensor& tensor, const Access& access);
    void check_operands(const graph::Kernel& kernel, std::span<const Buffer> reads,
                        std::span<const Buffer> writes);
    void check_size(const std::string& user, std::int64_t expected, std::int64_t actual);

    const Setup& setup_;
    std::vector<Tensor> tensors_;
    std::array<Clock, stream_count> clocks_{};
    std::int64_t normed_elements_ = 0;
    std::vector<Clock> events_;
    std::vector<std::string> problems_;
};

}  // namespace prismllm::program
