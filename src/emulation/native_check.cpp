// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// What real ranks cannot do of a job, all of it at once.
#include <string>

#include "prismllm/base/counted.hpp"
#include "prismllm/emulation/native.hpp"
#include "prismllm/program/setup.hpp"

namespace prismllm::emulation {
namespace {

// Beyond it nobody starts processes for real ranks; trying layouts would take long.
constexpr std::int64_t most_tried_ranks = 4096;

bool fits(const target::Job& job) {
    return program::make_setup(job).has_value();
}

/// The job over other ranks.
target::Job cut(target::Job job, std::int64_t ranks, std::int64_t tensor, std::int64_t pipeline) {
    job.parallel.world_size = ranks;
    job.parallel.tensor = tensor;
    job.parallel.pipeline = pipeline;
    return job;
}

/// Settings that make a job of `ranks` ranks; empty if no change of the degrees does.
std::string settings_for(const target::Job& job, std::int64_t ranks) {
    const std::string world = " --set parallel.world_size=" + std::to_string(ranks);
    const target::Parallel& p = job.parallel;
    if (ranks > most_tried_ranks) {
        return {};
    }
    if (fits(cut(job, ranks, p.tensor, p.pipeline))) {
        return world;
    }
    for (std::int64_t tensor = 1; tensor <= ranks; ++tensor) {
        for (std::int64_t pipeline = 1; ranks % tensor == 0 && pipeline <= ranks / tensor;
             ++pipeline) {
            if (ranks / tensor % pipeline == 0 && fits(cut(job, ranks, tensor, pipeline))) {
                return fmt::format(
                    "{} --set parallel.tensor_parallel={} --set parallel.pipeline_parallel={}",
                    world, tensor, pipeline);
            }
        }
    }
    return {};
}

std::string wrong_number_of_processes(const target::Job& job, std::int64_t processes) {
    const std::string settings = settings_for(job, processes);
    return fmt::format(
        "the job has {3}, and {4} run (natively each process executes one). Start it "
        "with mpirun -np {0}, or cut it into {1}: {2}.",
        job.parallel.world_size, processes,
        settings.empty()
            ? fmt::format("set parallel.world_size to {}, and tensor_parallel, pipeline_parallel "
                          "and training.global_batch_size to what fits it",
                          processes)
            : "add" + settings,
        counted(job.parallel.world_size, "rank"), counted(processes, "process"));
}

/// Lines of an error that names the worst: a deck that is wrong before a lack of processes.
class Refusals {
public:
    void add(ErrorCode code, const std::string& line) {
        text_ += (text_.empty() ? "" : "\n") + line;
        if (code == ErrorCode::bad_deck || code_ != ErrorCode::bad_deck) {
            code_ = code;
        }
    }
    [[nodiscard]] Status status() const {
        return text_.empty() ? Status{} : tl::unexpected{Error{code_, text_}};
    }

private:
    std::string text_;
    ErrorCode code_ = ErrorCode::resources;
};

}  // namespace

Status check_native(const target::Job& job, std::optional<std::int64_t> processes,
                    const Expected<std::int64_t>& text_bytes) {
    const target::Model model = target::with_defaults(job.model);
    Refusals refusals;
    const auto refuse = [&](bool wrong, const auto& line) {
        if (wrong) {
            refusals.add(ErrorCode::bad_deck, line());
        }
    };
    if (const auto setup = program::make_setup(job); !setup) {
        refusals.add(setup.error().code, setup.error().message);
    }
    if (!text_bytes) {
        refusals.add(text_bytes.error().code, text_bytes.error().message);
    }
    refuse(text_bytes && *text_bytes <= job.training.sequence_length, [&] {
        return fmt::format(
            "native.text has {} bytes (a sample takes training.sequence_length {} and one more). "
            "Use a longer text or shorter sequences.",
            *text_bytes, job.training.sequence_length);
    });
    refuse(model.vocab_size < 256, [&] {
        return fmt::format("model.vocab_size {} is too small (tokens are bytes). Use 256 or more.",
                           model.vocab_size);
    });
    refuse(job.parallel.kv_replication && job.parallel.tensor > model.kv_heads, [&] {
        return fmt::format(
            "parallel.kv_replication copies K and V heads, which real ranks do not yet. Use "
            "tensor_parallel {} or less.",
            model.kv_heads);
    });
    refuse(model.positions == target::PositionKind::alibi, [] {
        return std::string{
            "model.positions \"alibi\" has no arithmetic yet. Use \"rope\", \"learned\" or "
            "\"none\"."};
    });
    if (processes && *processes != job.parallel.world_size) {
        refusals.add(ErrorCode::resources, wrong_number_of_processes(job, *processes));
    }
    return refusals.status();
}

}  // namespace prismllm::emulation
