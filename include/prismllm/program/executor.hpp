// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/program/executor.hpp
/// The narrow interface a training step is written against. A recording executor turns the
/// step into an op list; later executors do its arithmetic. The program never knows which.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::program {

/// In-order queues of a device. Names as reports show them.
enum class Stream : std::uint8_t {
    compute,
    tensor_comm,
    data_comm,
    pipeline,       ///< sends and receives in batches
    pipeline_next,  ///< those with the next stage, one after the other (overlap_p2p)
    pipeline_prev,  ///< those with the stage before
};
inline constexpr int stream_count = 6;
[[nodiscard]] std::string_view name_of(Stream stream);

/// Handle of a tensor that an executor owns, or of a part of it. Copies are free; the tensor
/// lives until the handle that allocate() gave is released.
struct Buffer {
    std::uint32_t id = 0;
    std::uint32_t description = 0;  ///< executor's own index
    std::int64_t offset = 0;        ///< elements of the tensor before the part
    std::int64_t elements = 0;      ///< of the part; 0: no tensor at all

    /// `count` elements that begin `first` elements into this part.
    [[nodiscard]] Buffer part(std::int64_t first, std::int64_t count) const {
        return {id, description, offset + first, count};
    }
    [[nodiscard]] bool exists() const { return elements > 0; }
};

struct Event {
    std::uint32_t id = 0;
};

/// Where the part of a parameter tensor that one rank holds lies in the whole, for executors that
/// fill it: every way to cut a model must start from the same numbers.
struct ParameterPart {
    enum class Start : std::uint8_t {
        normal,    ///< independent, of mean 0 and the standard deviation of the training
        residual,  ///< the same, divided by sqrt(2 layers): what is added to the residual stream
        ones,
        zeros,
    };
    struct Rows {
        std::int64_t count = 0;
        std::int64_t first = 0;  ///< in the whole tensor
    };
    std::string name;  ///< of the whole tensor: "layer 3 qkv weight"
    Start start = Start::normal;
    std::int64_t columns = 1;       ///< of a row of the part
    std::int64_t first_column = 0;  ///< in the whole tensor
    std::vector<Rows> rows;         ///< one after the other: what stands side by side (queries,
                                    ///< keys, values; gate, up) is cut separately
};

/// What the data of a micro-batch gives a stage: [sequence x micro batch size] int64, positions
/// outermost.
enum class Input : std::uint8_t { tokens, positions, labels };

class Executor {
public:
    virtual ~Executor() = default;

    /// Before the first step: start value of a parameter. It is no op of the step.
    virtual void initialize(Buffer weight, const ParameterPart& part) = 0;
    /// Before the first step: a fp32 master of an initialized weight.
    virtual void initialize_master(Buffer master, Buffer weight) = 0;
    /// The input of the located micro-batch. Loading runs beside the step and costs nothing.
    virtual void load(Buffer buffer, Input input) = 0;

    virtual Buffer allocate(std::string_view name, graph::TensorRole role, graph::DType dtype,
                            std::int64_t elements) = 0;  ///< optimizer state begins as zeros
    virtual void release(Buffer buffer) = 0;
    /// Operands stand in the order that the kernel's maker in src/program states. A kernel over
    /// many tensors (optimizer, copies) takes lists of equally many parts, one list an operand,
    /// back to back. What a kernel adds to is among its reads too.
    virtual void launch(Stream stream, const graph::Kernel& kernel, std::span<const Buffer> reads,
                        std::span<const Buffer> writes) = 0;
    /// Collective, send (`in` only) or recv (`out` only).
    virtual void communicate(Stream stream, const graph::Communication& call, Buffer in,
                             Buffer out) = 0;
    /// Calls between begin and end start together (NCCL's group semantics); one stream only.
    virtual void begin_batch() = 0;
    virtual void end_batch() = 0;
    virtual Event record(Stream stream) = 0;
    virtual void wait(Stream stream, Event event) = 0;
    /// Labels of what follows, for timelines; no effect on results. -1: none.
    virtual void enter(graph::Phase phase) = 0;
    virtual void locate(std::int64_t micro_batch, std::int64_t layer) = 0;
};

}  // namespace prismllm::program
