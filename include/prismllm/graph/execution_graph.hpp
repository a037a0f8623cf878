// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/graph/execution_graph.hpp
/// The execution graph of a whole job: each class of equal ranks once, a rank table, process
/// group families, and costs. Plain data; it says nothing about how it was made or is run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/base/id.hpp"
#include "prismllm/graph/kernel.hpp"

namespace prismllm::graph {

enum class OpKind : std::uint8_t {
    kernel,       ///< index: kernels
    communicate,  ///< index: communications (collective, send or recv)
    allocate,     ///< index: tensors; instance: tensor number within the class
    release,      ///< index: tensors; instance: as the allocate it ends
    record,       ///< instance: event number within the class (each is recorded once)
    wait,         ///< instance: event number; the stream goes on when it was recorded
};
[[nodiscard]] std::string_view name_of(OpKind kind);

/// Part of the step an op belongs to; labels timelines and tables, has no effect on time.
enum class Phase : std::uint8_t { forward, backward, recompute, gradients, optimizer, other };
[[nodiscard]] std::string_view name_of(Phase phase);

/// One entry of a class's op list. Ops stand in host issue order; each runs in order with the
/// other ops of its stream and after the events that stream has waited for.
struct Op {
    OpKind kind = OpKind::kernel;
    std::uint8_t stream = 0;  ///< index in ExecutionGraph::streams
    Phase phase = Phase::other;
    std::uint8_t reserved = 0;
    std::int16_t micro_batch = -1;  ///< -1: none
    std::int16_t layer = -1;        ///< global layer number, -1: none
    std::uint32_t index = 0;        ///< description, see OpKind
    std::uint32_t instance = 0;     ///< event, tensor, or (communicate) batch number: 0 alone;
                                    ///< neighbors of one stream with the same batch number
                                    ///< start together and the stream goes on when all ended
    bool operator==(const Op&) const = default;
};
static_assert(sizeof(Op) == 16);

enum class TensorRole : std::uint8_t {
    weight,
    gradient,
    optimizer_state,
    activation,
    workspace,
    communication
};
inline constexpr int tensor_role_count = 6;
[[nodiscard]] std::string_view name_of(TensorRole role);

struct Tensor {
    std::string name;
    TensorRole role = TensorRole::activation;
    std::int64_t bytes = 0;
    bool operator==(const Tensor&) const = default;
};

/// Ranks whose op lists are equal once peers are named by role.
struct RankClass {
    std::string name;        ///< e.g. "stage 3"
    std::int32_t stage = 0;  ///< pipeline stage, for tables
    std::vector<Op> ops;
    bool operator==(const RankClass&) const = default;
};

/// Ranks `first`, `first + stride`, ... (count of them).
struct Axis {
    std::int64_t size = 1;
    std::int64_t stride = 1;
    bool operator==(const Axis&) const = default;
};

enum class FamilyKind : std::uint8_t {
    tensor,
    context,
    expert,
    data,
    data_context,
    pipeline,
    embedding,
    model,
    world,
    other,
    // Stored by number: kinds of a later schema stand at the end.
    expert_tensor,
    expert_data,
    expert_mesh,
    expert_model
};
[[nodiscard]] std::string_view name_of(FamilyKind kind);

/// All communicators of one kind. Regular families are two nests of axes: the members of a
/// group are first + all combinations of `members`; the groups start at all combinations of
/// `groups`. Irregular ones (imported, hand-written) list `ranks` group by group.
/// A rank is in at most one group of a family; it may be in none.
struct Family {
    std::string name;  ///< "tp", "dp", ...
    FamilyKind kind = FamilyKind::other;
    std::int64_t first = 0;
    std::vector<Axis> members;                ///< fastest axis first: position in the group
    std::vector<Axis> groups;                 ///< fastest axis first: group number
    std::vector<std::int64_t> group_offsets;  ///< irregular: CSR over `ranks`
    std::vector<std::int64_t> ranks;
    bool operator==(const Family&) const = default;

    [[nodiscard]] bool is_regular() const { return group_offsets.empty(); }
    [[nodiscard]] std::int64_t group_count() const;
    [[nodiscard]] std::int64_t group_size(std::int64_t group) const;
    [[nodiscard]] std::int64_t rank_at(std::int64_t group, std::int64_t position) const;
    /// Members of a group in position order.
    [[nodiscard]] std::vector<std::int64_t> group_ranks(std::int64_t group) const;
};

/// Where every rank stands in one family, materialised (8 bytes a rank).
struct Membership {
    std::vector<std::int32_t> group;     ///< [world_size], -1: not a member
    std::vector<std::int32_t> position;  ///< [world_size]
};
[[nodiscard]] Membership membership_of(const Family& family, std::int64_t world_size);

/// Where a number comes from, worst last.
enum class Provenance : std::uint8_t { measured, calibrated, modelled, assumed };
[[nodiscard]] std::string_view name_of(Provenance provenance);

struct Cost {
    std::int64_t duration_ps = 0;
    Provenance provenance = Provenance::assumed;
    bool operator==(const Cost&) const = default;
};

/// `count` consecutive ranks starting at `first` belong to class `rank_class`.
struct RankRun {
    std::int64_t first = 0;
    std::int64_t count = 0;
    std::int32_t rank_class = 0;
    bool operator==(const RankRun&) const = default;
};

/// How the job is spread over its ranks, under the names of the deck's keys.
struct JobLayout {
    std::int64_t tensor_parallel = 1, context_parallel = 1, pipeline_parallel = 1;
    std::int64_t virtual_pipeline = 1;  ///< model chunks of a pipeline stage
    std::int64_t data_parallel = 1;
    std::int64_t expert_parallel = 1, expert_tensor_parallel = 1;  ///< 1 in a dense model
    std::int64_t zero_stage = 0;                                   ///< 1: distributed optimizer
    std::int64_t micro_batch_size = 1, micro_batches = 1, global_batch_size = 1;
    std::int64_t sequence_length = 1;
    bool sequence_parallel = false;
    bool operator==(const JobLayout&) const = default;
};

/// Facts about the job that a report needs but no replay does.
struct JobFacts {
    std::string title;
    std::string device_name;
    double device_peak_flops = 0;  ///< of the training precision, dense
    std::int64_t device_memory_bytes = 0;
    double model_flops_per_iteration = 0;     ///< whole job; formula in `flops_formula`
    double hardware_flops_per_iteration = 0;  ///< recomputation counted
    std::string flops_formula;
    std::int64_t tokens_per_iteration = 0;
    std::int64_t parameters = 0;
    std::int64_t pipeline_stages = 1;
    std::optional<JobLayout> layout;  ///< nothing in files of schema 1.1 and before
    bool operator==(const JobFacts&) const = default;
};

/// Largest job a graph may describe. It bounds what a damaged file can make a reader allocate
/// (128 MiB a materialised family) and is 100 times the largest machine built.
inline constexpr std::int64_t max_world_size = std::int64_t{1} << 24;
/// Largest sum of durations of one class (about 28 hours): leaves a factor of 90 to the end of
/// int64 picoseconds for waits and slow ranks.
inline constexpr std::int64_t max_class_duration_ps = 100'000'000'000'000'000;

struct ExecutionGraph {
    JobFacts facts;
    std::int64_t world_size = 0;
    std::int64_t ranks_per_node = 1;   ///< rank r lives on node r / ranks_per_node
    std::int64_t eager_bytes = 0;      ///< a send up to this size ends before it is received
    std::vector<std::string> streams;  ///< names; at most 255
    std::vector<Kernel> kernels;
    std::vector<Communication> communications;
    std::vector<Tensor> tensors;
    std::vector<Family> families;
    std::vector<RankClass> classes;
    std::vector<RankRun> rank_runs;  ///< sorted, covers 0 .. world_size-1 exactly
    /// Uneven all-to-all: elements sent to and expected from each position of the group.
    struct Splits {
        std::vector<std::int64_t> send, receive;
        bool operator==(const Splits&) const = default;
    };
    std::vector<Splits> splits;
    /// Set by the stitching proof (slicing/stitch.hpp, prove_and_mark). False: all lanes of a
    /// class may advance in lock step. True: some class exchanges messages with itself (equal
    /// middle stages of a pipeline), so lanes must be kept apart by their position in every
    /// family in which their class sends or receives: cohorts = (class, those positions).
    bool split_classes_by_position = false;

    // Costs, filled by slicing::attach_costs; empty in an uncosted graph.
    std::vector<Cost> kernel_costs;  ///< one a kernel
    /// Of measured kernels: the middle half of the samples as a part of their median, [kernel].
    /// Empty where nothing was measured.
    std::vector<double> kernel_spread;
    /// Groups of one family may lie differently in the cluster (all in a node, spread, ...).
    /// group_shape[family][group] is the number of that shape; a send or recv has shape 0 within
    /// a node, 1 between nodes.
    std::vector<std::vector<std::uint16_t>> group_shape;
    std::vector<std::vector<Cost>> communication_costs;  ///< [communication][shape]

    bool operator==(const ExecutionGraph&) const = default;
};

/// Class of every rank, materialised.
[[nodiscard]] std::vector<std::int32_t> class_of_ranks(const ExecutionGraph& graph);

/// Check every index and table against its range, so that later code may trust them.
/// A graph that comes from a file or another program must pass before it is used.
/// @return bad_input naming the first broken entry.
[[nodiscard]] Status check_consistent(const ExecutionGraph& graph);

/// Timed ops (kernels, collectives, sends, receives, event records and waits) of one iteration
/// summed over all virtual ranks: the `participant_ops` of reports and benchmarks. Allocations
/// and releases take no time and are not counted.
[[nodiscard]] std::int64_t participant_ops(const ExecutionGraph& graph);

}  // namespace prismllm::graph
