// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/store/result_file.hpp
/// Outcome of an emulation, per iteration, stage and virtual rank, and the timelines asked for
/// (docs/reference/formats/result.md). All processes of a job write one file together; its
/// content outside /provenance does not depend on how many they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "prismllm/base/error.hpp"
#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/store/provenance.hpp"

namespace prismllm::store {

/// The numbers a reader looks for first. Whatever depends on the emulator's own speed or
/// process count stands in Provenance::run instead.
struct Summary {
    std::int64_t iteration_time_ps = 0;  ///< mean over the iterations
    double tokens_per_s_per_gpu = 0;
    double model_tflops_per_gpu = 0;     ///< TFLOP/s, formula: facts.flops_formula
    double mfu = 0;                      ///< fraction of facts.device_peak_flops
    std::int64_t participant_ops = 0;    ///< per iteration, over all virtual ranks
    std::int64_t peak_memory_bytes = 0;  ///< highest over all virtual ranks
    std::int64_t seed = 0;
    bool operator==(const Summary&) const = default;
};

/// What a public source measured for this job; absent where it says nothing.
struct PublishedValues {
    std::string source;
    std::optional<double> iteration_time_s;
    std::optional<double> model_tflops_per_gpu;
    std::optional<double> mfu;  ///< fraction
    std::optional<double> tokens_per_s_per_gpu;
    std::string flops_formula;
    std::string note;
    bool operator==(const PublishedValues&) const = default;
};

struct FamilyRow {
    std::string name;
    graph::FamilyKind kind = graph::FamilyKind::other;
    std::int64_t groups = 0;
    std::int64_t largest_group = 0;  ///< ranks
    bool operator==(const FamilyRow&) const = default;
};

struct ClassRow {
    std::string name;
    std::int32_t stage = 0;
    std::int64_t ranks = 0;
    std::int64_t ops = 0;  ///< entries of its op list
    bool operator==(const ClassRow&) const = default;
};

/// Instants on the emulated clock; the first iteration starts at 0, every other one where the
/// slowest rank ended the one before.
struct IterationRow {
    std::int64_t start_ps = 0;
    std::int64_t end_ps = 0;
    bool operator==(const IterationRow&) const = default;
};

/// Means over the ranks of a pipeline stage, per iteration. busy + communication + skew + idle
/// is the iteration time up to rounding.
struct StageRow {
    std::int32_t stage = 0;
    std::int64_t ranks = 0;
    std::int64_t busy_ps = 0;
    std::vector<std::int64_t> communication_ps;  ///< [family] exposed
    std::vector<std::int64_t> skew_ps;           ///< [family]; of the pipeline: the bubble
    std::int64_t idle_ps = 0;  ///< after the rank's last op, or for kernels of other streams
    std::int64_t peak_memory_bytes = 0;  ///< highest of the stage
    bool operator==(const StageRow&) const = default;
};

/// Time of one kind of work with one provenance: the prices of an iteration's ops summed, as the
/// mean over all virtual ranks. Nominal: before jitter and slow ranks, and what overlaps counts in
/// full, so that the rows of an iteration add up to more than it takes. Shares and coverage
/// warnings come from this table.
struct CoverageRow {
    std::string name;  ///< kind of kernel or collective, e.g. "gemm", "all_reduce"
    graph::Provenance provenance = graph::Provenance::assumed;
    bool communication = false;
    std::int64_t time_ps = 0;
    double calls = 0;  ///< mean number of ops a rank
    bool operator==(const CoverageRow&) const = default;
};

/// Any further number a report shows, e.g. {"critical_path_measured_share", "1", 0.2}.
struct NamedValue {
    std::string name;
    std::string unit;  ///< UDUNITS style; "1" for a plain number
    double value = 0;
    bool operator==(const NamedValue&) const = default;
};

/// One value per virtual rank of this process (writing) or of the whole job (reading).
/// Accounts are sums over all iterations.
struct RankColumns {
    std::vector<std::int64_t> virtual_rank;  ///< ascending
    std::vector<std::int64_t> end_ps;        ///< [iteration * ranks + i], as engine::LaneResults
    std::vector<std::int64_t> busy_ps;
    std::vector<std::int64_t> communication_ps;  ///< [i * families + family]
    std::vector<std::int64_t> skew_ps;           ///< [i * families + family]
    std::vector<std::int32_t> rank_class;
    std::vector<std::int32_t> stage;
    std::vector<std::int64_t> peak_memory_bytes;
    bool operator==(const RankColumns&) const = default;
};

struct TimelineOp {
    std::int64_t virtual_rank = 0;
    std::int64_t op = 0;  ///< index in the op list of the rank's class
    std::int64_t start_ps = 0, end_ps = 0;
    std::int32_t iteration = 0;
    std::int32_t name = 0;  ///< index in ResultData::op_names
    std::uint8_t stream = 0;
    graph::Phase phase = graph::Phase::other;
    std::int16_t micro_batch = -1;
    std::int16_t layer = -1;
    bool operator==(const TimelineOp&) const = default;
};

/// A rank whose program was executed, by ascending rank.
struct RealRankRow {
    std::int64_t virtual_rank = 0;
    std::int64_t peak_allocated_bytes = 0;  ///< of live tensors
    /// Bytes of live tensors behind each op of the class's list, in the last iteration. (What
    /// stands before the first step, weights and optimizer state, happened once.)
    std::vector<std::int64_t> allocated_bytes;
    bool operator==(const RealRankRow&) const = default;
};

/// All of a result. When several processes write, `ranks` and `timeline` hold what each has;
/// everything else is taken from the first process, and sizes of tables must agree on all.
struct ResultData {
    graph::JobFacts facts;
    std::int64_t world_size = 0;
    std::int64_t ranks_per_node = 1;
    Summary summary;
    PublishedValues published;
    std::vector<std::string> warnings;  ///< full sentences
    std::vector<NamedValue> values;
    std::vector<FamilyRow> families;
    std::vector<ClassRow> classes;
    std::vector<IterationRow> iterations;
    std::vector<StageRow> stages;
    std::vector<CoverageRow> coverage;
    RankColumns ranks;
    /// Whether waits are booked: communication and skew of ranks and stages. Native runs do not.
    bool accounts = true;
    std::vector<RealRankRow> real_ranks;
    std::vector<double> losses;  ///< [iteration] mean a token, nats; empty: no real rank knows it
    std::vector<std::string> streams;
    std::vector<std::string> op_names;
    std::vector<TimelineOp> timeline;  ///< by rank, then start; a rank's ops on one process
    bool operator==(const ResultData&) const = default;
};

/// The processes that write together: an MPI communicator as its Fortran handle
/// (MPI_Comm_c2f), the one portable form that needs no mpi.h. The communicator is duplicated.
struct ParallelAccess {
    int fortran_communicator = 0;
    /// What one process sends or writes in one call is not much more. MPI counts bytes of a call
    /// in an int in many places, so a large job is written in several.
    std::size_t piece_bytes = std::size_t{256} << 20;
};

/// Write a result file from one process that holds all ranks.
/// @return as write_graph. @local
[[nodiscard]] Status write_result(const std::filesystem::path& path, const ResultData& data,
                                  const Provenance& provenance);

/// Write a result file from all processes of the communicator. Every virtual rank is held by
/// exactly one process. The file appears under `path` when it is complete on all of them.
/// @return the same outcome on all processes: resources (disk full) or system, naming the file.
/// Throws SystemError, after removing the unfinished file, when writing breaks on this process
/// in the middle of a collective call: the others wait in it, so the job must be aborted.
/// @collective
[[nodiscard]] Status write_result(const std::filesystem::path& path, const ResultData& data,
                                  const Provenance& provenance, ParallelAccess access);

struct StoredResult {
    ResultData data;  ///< all tables sized as ResultData says; all ranks
    Provenance provenance;
};

/// @return bad_input naming the file, what is wrong and where in it, whatever the bytes are.
/// @local
[[nodiscard]] Expected<StoredResult> read_result(const std::filesystem::path& path);

/// Content of an HDF5 file's root attribute `format`: "prismllm.graph", "prismllm.result";
/// bad_input when the file is none of ours.
[[nodiscard]] Expected<std::string> format_of(const std::filesystem::path& path);

/// How a graph or result came to be, without reading the rest of it; bad_input as format_of.
[[nodiscard]] Expected<Provenance> provenance_of(const std::filesystem::path& path);

}  // namespace prismllm::store
