// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rows that describe the job: parallelism, training, emulation, native run, published result.
#include <array>

#include "fields.hpp"

namespace prismllm::deck {
namespace {

using target::Emulation;
using target::Job;
using target::Native;
using target::Parallel;
using target::Published;
using target::Training;
using enum Presence;

constexpr std::array<std::string_view, 2> rank_order_names{"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"};
constexpr std::array<std::string_view, 2> schedule_names{"1f1b", "gpipe"};
constexpr std::array<std::string_view, 4> precision_names{"bf16", "fp16", "fp32", "fp8"};
constexpr std::array<std::string_view, 3> recompute_names{"none", "selective", "full"};
constexpr std::array<std::string_view, 3> payload_names{"replicate", "zeros", "random"};
constexpr std::array<std::string_view, 2> clock_names{"virtual", "wall"};
constexpr std::array<std::string_view, 2> device_names{"host", "cuda"};
constexpr std::array<std::string_view, 2> real_durations_names{"graph", "measured"};
// "" is "not given"; the others are the names of target::FlopsFormula.
constexpr std::array<std::string_view, 5> formula_names{"", "megatron", "palm", "causal",
                                                        "hardware_full_recompute"};

// Upper bounds are far beyond any real job; they keep products of settings inside int64.
constexpr double most_ranks = 1 << 24;
constexpr Range any{};
constexpr Range degree{1, most_ranks, false};
constexpr double most_layers = 32767;  // the execution graph numbers layers in 16 bits
constexpr Range layer_count{0, most_layers, false};
constexpr Range not_negative{0, 1e15, false};
constexpr Range positive{0, 1e15, true};

template <auto Member>
constexpr auto parallel = &slot_of<&Job::parallel, Member>;
template <auto Member>
constexpr auto training = &slot_of<&Job::training, Member>;
template <auto Member>
constexpr auto emulation = &slot_of<&Job::emulation, Member>;
template <auto Member>
constexpr auto native = &slot_of<&Job::native, Member>;
template <auto Member>
constexpr auto published = &slot_of<&Job::published, Member>;

void append_parallel(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Range range, Presence presence,
                              std::string_view meaning, std::string_view flag = "",
                              std::span<const std::string_view> choices = {}) {
        table.push_back(
            {"parallel", key, slot, Quantity::none, range, presence, choices, meaning, flag});
    };
    row("world_size", parallel<&Parallel::world_size>, degree, required,
        "ranks (GPUs) of the target job", "WORLD_SIZE: nodes x processes a node of torchrun");
    row("tensor_parallel", parallel<&Parallel::tensor>, degree, defaulted,
        "ranks that share each matrix", "--tensor-model-parallel-size");
    row("sequence_parallel", parallel<&Parallel::sequence>, any, defaulted,
        "shard norms and residuals over the tensor-parallel group", "--sequence-parallel");
    row("context_parallel", parallel<&Parallel::context>, degree, defaulted,
        "ranks that share each sequence; so far the training step refuses more than 1",
        "--context-parallel-size");
    row("expert_parallel", parallel<&Parallel::expert>, degree, defaulted,
        "ranks that hold the experts of a layer between them", "--expert-model-parallel-size");
    row("expert_tensor_parallel", parallel<&Parallel::expert_tensor>, {0, most_ranks}, defaulted,
        "ranks that share each expert's matrices; 0: tensor_parallel",
        "--expert-tensor-parallel-size");
    row("pipeline_parallel", parallel<&Parallel::pipeline>, degree, defaulted,
        "pipeline stages; data parallel follows from world_size", "--pipeline-model-parallel-size");
    row("virtual_pipeline", parallel<&Parallel::virtual_pipeline>, {1, 1 << 16}, defaulted,
        "model chunks of a pipeline stage (interleaved schedule when above 1)",
        "--num-virtual-stages-per-pipeline-rank; for --num-layers-per-virtual-pipeline-stage n: "
        "layers / (pipeline_parallel x n)");
    row("pipeline_schedule", parallel<&Parallel::schedule>, any, defaulted,
        "order of forward and backward passes", "", schedule_names);
    row("rank_order", parallel<&Parallel::order>, any, defaulted,
        "parallel axes in rank numbering, fastest first",
        "--use-tp-pp-dp-mapping is tp-cp-ep-pp-dp", rank_order_names);
    row("first_stage_layers", parallel<&Parallel::first_stage_layers>, layer_count, defaulted,
        "layers of the first pipeline stage; 0: an even split",
        "--decoder-first-pipeline-num-layers");
    row("last_stage_layers", parallel<&Parallel::last_stage_layers>, layer_count, defaulted,
        "layers of the last pipeline stage; 0: an even split",
        "--decoder-last-pipeline-num-layers");
    row("stage_layers", parallel<&Parallel::stage_layers>, layer_count, defaulted,
        "layers of every virtual stage (chunk 0 of all stages, then chunk 1, ...); empty: derived",
        "--pipeline-model-parallel-layout, in another notation");
    row("count_embedding_in_split", parallel<&Parallel::count_embedding_in_split>, any, defaulted,
        "the embedding takes the room of one layer in the split",
        "--account-for-embedding-in-pipeline-split");
    row("count_loss_in_split", parallel<&Parallel::count_loss_in_split>, any, defaulted,
        "the head and loss take the room of one layer in the split",
        "--account-for-loss-in-pipeline-split");
    row("vocab_padding", parallel<&Parallel::vocab_padding>, {1, 1 << 20}, defaulted,
        "the vocabulary is padded to a multiple of this x tensor_parallel",
        "--make-vocab-size-divisible-by; for --padded-vocab-size n: 1 and vocab_size = n");
    row("zero_stage", parallel<&Parallel::zero_stage>, {0, 1}, defaulted,
        "0: plain data parallel; 1: optimizer states sharded over data-parallel ranks",
        "--use-distributed-optimizer");
    row("overlap_grad_reduce", parallel<&Parallel::overlap_grad_reduce>, any, defaulted,
        "reduce gradients bucket by bucket beside the backward pass", "--overlap-grad-reduce");
    row("overlap_param_gather", parallel<&Parallel::overlap_param_gather>, any, defaulted,
        "gather parameters bucket by bucket beside the forward pass", "--overlap-param-gather");
    row("overlap_p2p", parallel<&Parallel::overlap_p2p>, any, defaulted,
        "interleaved schedule: send and receive beside computation",
        "(not) --no-overlap-p2p-communication");
    row("scatter_gather_p2p", parallel<&Parallel::scatter_gather_p2p>, any, defaulted,
        "stages send 1/tensor of an activation and gather it again (without sequence parallelism)",
        "(not) --no-scatter-gather-tensors-in-pipeline; on by default in Megatron-LM of 2021 and "
        "2022, later without effect");
    row("bucket_parameters", parallel<&Parallel::bucket_parameters>, not_negative, defaulted,
        "parameters of a gradient bucket; 0: max(40 M, 1 M x data-parallel size)",
        "--ddp-bucket-size");
    row("kv_replication", parallel<&Parallel::kv_replication>, any, defaulted,
        "allow tensor_parallel above kv_heads by copying key and value heads");
}

void append_training(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Range range, Presence presence,
                              std::string_view meaning, std::string_view flag = "",
                              std::span<const std::string_view> choices = {}) {
        table.push_back(
            {"training", key, slot, Quantity::none, range, presence, choices, meaning, flag});
    };
    row("micro_batch_size", training<&Training::micro_batch_size>, {1, 1 << 12}, defaulted,
        "sequences of a micro batch", "--micro-batch-size");
    row("global_batch_size", training<&Training::global_batch_size>, {1, 1 << 28}, required,
        "sequences of an iteration over the whole job", "--global-batch-size");
    row("sequence_length", training<&Training::sequence_length>, {1, 1 << 24}, required,
        "tokens of a sequence", "--seq-length");
    row("precision", training<&Training::precision>, any, defaulted,
        "type of activations and matrix products",
        "--bf16, --fp16, none for fp32, --fp8-format for fp8", precision_names);
    row("recompute", training<&Training::recompute>, any, defaulted,
        "activations computed again in the backward pass: none, attention core, whole layers",
        "--recompute-granularity; selective is --recompute-activations too, full is every layer: "
        "--recompute-method uniform, --recompute-num-layers 1",
        recompute_names);
    row("flash_attention", training<&Training::flash_attention>, any, defaulted,
        "fused attention that never stores the score matrix",
        "--use-flash-attn, --attention-backend flash");
    row("fp32_grad_reduce", training<&Training::fp32_grad_reduce>, any, defaulted,
        "accumulate and reduce gradients in fp32", "--accumulate-allreduce-grads-in-fp32");
    // A draw has 24 bits.
    row("hidden_dropout", training<&Training::hidden_dropout>, {0, 0.9, false, 1e-7}, defaulted,
        "probability of dropout before residual additions and behind the embedding",
        "--hidden-dropout");
}

void append_emulation(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Quantity quantity, Range range,
                              std::string_view meaning,
                              std::span<const std::string_view> choices = {}) {
        table.push_back({"emulation", key, slot, quantity, range, defaulted, choices, meaning, ""});
    };
    row("iterations", emulation<&Emulation::iterations>, Quantity::none, {1, 1 << 20},
        "training iterations to emulate");
    row("seed", emulation<&Emulation::seed>, Quantity::none, {0, 9007199254740991.0},
        "seed of all random numbers");
    row("jitter", emulation<&Emulation::jitter>, Quantity::none, {0, 0.3},
        "relative standard deviation of every kernel's duration");
    row("slow_ranks", emulation<&Emulation::slow_ranks>, Quantity::none, any,
        "a list of {rank, factor}: all kernels of the rank take factor times as long (1.2: 20 % "
        "slower). What its communication costs is not changed");
    row("pauses", emulation<&Emulation::pauses>, Quantity::none, any,
        "a list of {rank, iteration, time}: before that iteration (the first is 0) the rank does "
        "nothing for so long");
    row("timeline_ranks", emulation<&Emulation::timeline_ranks>, Quantity::none,
        {0, most_ranks - 1}, "ranks whose timeline is kept");
    row("eager", emulation<&Emulation::eager_bytes>, Quantity::bytes, not_negative,
        "sends up to this size end before they are received");
    row("real_ranks", emulation<&Emulation::real_ranks>, Quantity::none, {0, most_ranks - 1},
        "ranks whose program is executed, each by a process of its own; needs native.text");
    row("clock", emulation<&Emulation::clock>, Quantity::none, any,
        "virtual: real ranks never wait, only their emulated time does; wall: they wait until the "
        "emulated instant",
        clock_names);
    row("real_durations", emulation<&Emulation::real_durations>, Quantity::none, any,
        "durations of the kernels of real ranks: the graph's, or measured while they run",
        real_durations_names);
    row("payload", emulation<&Emulation::payload>, Quantity::none, any,
        "what virtual ranks send to real ones: as the real members of a group do, zeros, noise",
        payload_names);
    row("watchdog", emulation<&Emulation::watchdog_s>, Quantity::seconds, {0.1, 1e6},
        "a job ends when a real rank takes longer for one op, or 20 times as long for a step");
}

void append_native(std::vector<Field>& table) {
    // All are computed with in fp32, where 1 + 1e-12 is 1 and a square of less than 1e-19 is 0.
    constexpr double least = 1e-12;
    constexpr Range fraction{0, 1, false, least};
    // 1 would keep the first moment, zero, for ever.
    constexpr Range decay{0, 0.999999, false, least};
    const auto row = [&table](const char* key, auto slot, Range range, std::string_view meaning,
                              std::string_view flag = "") {
        table.push_back({"native", key, slot, Quantity::none, range, defaulted, {}, meaning, flag});
    };
    table.push_back({"native", "device", native<&Native::device>, Quantity::none, any, defaulted,
                     device_names, "what computes the kernels of real ranks: the host, or GPUs",
                     ""});
    row("text", native<&Native::text>, any,
        "file to train on, one token a byte; relative to the folder of the deck");
    row("steps", native<&Native::steps>, {1, 1 << 20}, "training steps", "--train-iters");
    row("seed", native<&Native::seed>, {0, 9007199254740991.0},
        "seed of start values, samples and dropout", "--seed");
    row("learning_rate", native<&Native::learning_rate>, {0, 10, false, least},
        "constant learning rate", "--lr");
    row("beta1", native<&Native::beta1>, decay, "Adam: decay of the first moment", "--adam-beta1");
    row("beta2", native<&Native::beta2>, decay, "Adam: decay of the second moment", "--adam-beta2");
    row("epsilon", native<&Native::epsilon>, {1e-30, 1}, "Adam: added to the denominator",
        "--adam-eps");
    row("weight_decay", native<&Native::weight_decay>, fraction,
        "decoupled weight decay, on all parameters", "--weight-decay");
    row("clip_gradient", native<&Native::clip_gradient>, {0, 1e15, false, least},
        "limit of the gradient's norm; 0: none", "--clip-grad");
    row("start_deviation", native<&Native::start_deviation>, {0, 10, false, least},
        "standard deviation of normal start values", "--init-method-std");
    row("loss_scale", native<&Native::loss_scale>, {1e-6, 1e15}, "constant loss scale of fp16",
        "--loss-scale");
    row("rope_base", native<&Native::rope_base>, {1, 1e15}, "base of rotary positions",
        "--rotary-base");
}

void append_published(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Quantity quantity, Range range,
                              Presence presence, std::string_view meaning,
                              std::span<const std::string_view> choices = {}) {
        table.push_back({"published", key, slot, quantity, range, presence, choices, meaning, ""});
    };
    row("source", published<&Published::source>, Quantity::none, any, defaulted,
        "public source of the measurement; empty: nothing to compare with");
    row("iteration_time", published<&Published::iteration_time_s>, Quantity::seconds, positive,
        optional, "measured time of an iteration");
    row("model_tflops_per_gpu", published<&Published::model_tflops_per_gpu>, Quantity::none,
        {0, 1e6, true}, optional, "measured TFLOP/s of a GPU, as a bare number");
    row("mfu", published<&Published::mfu>, Quantity::none, {0, 1, true}, optional,
        "model FLOPs utilization as a fraction");
    row("tokens_per_s_per_gpu", published<&Published::tokens_per_s_per_gpu>, Quantity::none,
        positive, optional, "measured tokens/s of a GPU, as a bare number");
    row("flops_formula", published<&Published::flops_formula>, Quantity::none, any, defaulted,
        "formula behind the printed FLOP figures; empty: not stated", formula_names);
    row("note", published<&Published::note>, Quantity::none, any, defaulted,
        "what a reader must know about the measurement");
}

}  // namespace

void append_job_fields(std::vector<Field>& table) {
    table.push_back({"",
                     "title",
                     &slot_of<&Job::title>,
                     Quantity::none,
                     any,
                     defaulted,
                     {},
                     "one line on the job, shown in reports",
                     ""});
    append_model_fields(table);
    append_parallel(table);
    append_training(table);
    append_emulation(table);
    append_native(table);
    append_published(table);
}

}  // namespace prismllm::deck
