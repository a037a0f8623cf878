// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rows that describe the job: model, parallelism, training, emulation, published result.
#include <array>

#include "fields.hpp"

namespace prismllm::deck {
namespace {

using target::Emulation;
using target::Job;
using target::Model;
using target::Native;
using target::Parallel;
using target::Published;
using target::Training;
using enum Presence;

constexpr std::array<std::string_view, 2> norm_names{"layernorm", "rmsnorm"};
constexpr std::array<std::string_view, 4> position_names{"rope", "learned", "alibi", "none"};
constexpr std::array<std::string_view, 2> rank_order_names{"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp"};
constexpr std::array<std::string_view, 2> schedule_names{"1f1b", "gpipe"};
constexpr std::array<std::string_view, 4> precision_names{"bf16", "fp16", "fp32", "fp8"};
constexpr std::array<std::string_view, 3> recompute_names{"none", "selective", "full"};
constexpr std::array<std::string_view, 3> payload_names{"replicate", "zeros", "random"};
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
constexpr Range width{1, 1 << 20, false};
constexpr Range width_or_derived{0, 1 << 20, false};
constexpr Range not_negative{0, 1e15, false};
constexpr Range positive{0, 1e15, true};

template <auto Member>
constexpr auto model = &slot_of<&Job::model, Member>;
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

void append_model(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Range range, Presence presence,
                              std::string_view meaning, std::string_view flag = "",
                              std::span<const std::string_view> choices = {}) {
        table.push_back(
            {"model", key, slot, Quantity::none, range, presence, choices, meaning, flag});
    };
    row("name", model<&Model::name>, any, required, "name of the model in reports");
    row("layers", model<&Model::layers>, {1, most_layers}, required, "transformer layers",
        "--num-layers");
    row("hidden_size", model<&Model::hidden_size>, width, required, "width of the residual stream",
        "--hidden-size");
    row("ffn_hidden_size", model<&Model::ffn_hidden_size>, {0, 1 << 22}, defaulted,
        "inner width of the MLP; 0: 4 x hidden_size", "--ffn-hidden-size");
    row("attention_heads", model<&Model::attention_heads>, {1, 1 << 14}, required,
        "query heads of a layer", "--num-attention-heads");
    row("kv_heads", model<&Model::kv_heads>, {0, 1 << 14}, defaulted,
        "key/value heads of a layer; 0: as many as attention_heads", "--num-query-groups");
    row("head_dim", model<&Model::head_dim>, width_or_derived, defaulted,
        "width of a head; 0: hidden_size / attention_heads", "--kv-channels");
    row("vocab_size", model<&Model::vocab_size>, {1, 1 << 24}, required,
        "tokens of the vocabulary before padding", "--vocab-size");
    row("gated_mlp", model<&Model::gated_mlp>, any, defaulted,
        "SwiGLU: three MLP matrices instead of two", "--swiglu");
    row("tied_embeddings", model<&Model::tied_embeddings>, any, defaulted,
        "the output head shares the input embedding",
        "(not) --untie-embeddings-and-output-weights");
    row("qkv_bias", model<&Model::qkv_bias>, any, defaulted, "bias on queries, keys and values",
        "--add-qkv-bias");
    row("attention_output_bias", model<&Model::attention_output_bias>, any, defaulted,
        "bias on the projection after attention", "(not) --disable-bias-linear");
    row("mlp_bias", model<&Model::mlp_bias>, any, defaulted,
        "bias on the MLP matrices, and with experts on theirs and the router",
        "(not) --disable-bias-linear");
    row("qk_norm", model<&Model::qk_norm>, any, defaulted, "norms of head_dim on queries and keys",
        "--qk-layernorm");
    row("attention_sinks", model<&Model::attention_sinks>, any, defaulted,
        "a learned logit a head that joins the softmax (gpt-oss)", "--softmax-type learnable");
    row("embedding_norm", model<&Model::embedding_norm>, any, defaulted,
        "a norm after the embedding (BLOOM)");
    row("norm", model<&Model::norm>, any, defaulted, "kind of all norms", "--normalization",
        norm_names);
    row("norms_per_layer", model<&Model::norms_per_layer>, {0, 8}, defaulted,
        "norms of hidden_size in a layer");
    row("positions", model<&Model::positions>, any, defaulted, "position encoding",
        "--position-embedding-type", position_names);
    row("max_positions", model<&Model::max_positions>, {0, 1 << 24}, defaulted,
        "rows of the learned position table", "--max-position-embeddings");
    row("experts", model<&Model::experts>, {0, 1 << 14}, defaulted,
        "routed experts of a layer; 0: a dense model", "--num-experts");
    row("experts_per_token", model<&Model::experts_per_token>, {0, 1 << 14}, defaulted,
        "routed experts that each token is sent to; needed with experts", "--moe-router-topk");
    row("expert_ffn_hidden_size", model<&Model::expert_ffn_hidden_size>, {0, 1 << 22}, defaulted,
        "inner width of one expert; 0: ffn_hidden_size", "--moe-ffn-hidden-size");
    row("shared_expert_ffn_hidden_size", model<&Model::shared_expert_ffn_hidden_size>, {0, 1 << 22},
        defaulted, "inner width of all shared experts together; 0: none",
        "--moe-shared-expert-intermediate-size");
    row("shared_expert_gate", model<&Model::shared_expert_gate>, any, defaulted,
        "a learned gate on the shared experts", "--moe-shared-expert-gate");
    row("router_correction_bias", model<&Model::router_correction_bias>, any, defaulted,
        "a bias an expert in the router that only balances the load",
        "--moe-router-enable-expert-bias");
    row("first_dense_layers", model<&Model::first_dense_layers>, layer_count, defaulted,
        "leading layers with a plain MLP instead of experts", "--moe-layer-freq");
}

void append_parallel(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Range range, Presence presence,
                              std::string_view meaning, std::string_view flag = "",
                              std::span<const std::string_view> choices = {}) {
        table.push_back(
            {"parallel", key, slot, Quantity::none, range, presence, choices, meaning, flag});
    };
    row("world_size", parallel<&Parallel::world_size>, degree, required,
        "ranks (GPUs) of the target job", "(WORLD_SIZE)");
    row("tensor_parallel", parallel<&Parallel::tensor>, degree, defaulted,
        "ranks that share each matrix", "--tensor-model-parallel-size");
    row("sequence_parallel", parallel<&Parallel::sequence>, any, defaulted,
        "shard norms and residuals over the tensor-parallel group", "--sequence-parallel");
    row("context_parallel", parallel<&Parallel::context>, degree, defaulted,
        "ranks that share each sequence", "--context-parallel-size");
    row("expert_parallel", parallel<&Parallel::expert>, degree, defaulted,
        "ranks that hold the experts of a layer between them", "--expert-model-parallel-size");
    row("expert_tensor_parallel", parallel<&Parallel::expert_tensor>, {0, most_ranks}, defaulted,
        "ranks that share each expert's matrices; 0: tensor_parallel",
        "--expert-tensor-parallel-size");
    row("pipeline_parallel", parallel<&Parallel::pipeline>, degree, defaulted,
        "pipeline stages; data parallel follows from world_size", "--pipeline-model-parallel-size");
    row("virtual_pipeline", parallel<&Parallel::virtual_pipeline>, {1, 1 << 16}, defaulted,
        "model chunks of a pipeline stage (interleaved schedule when above 1)",
        "--num-virtual-stages-per-pipeline-rank");
    row("pipeline_schedule", parallel<&Parallel::schedule>, any, defaulted,
        "order of forward and backward passes", "", schedule_names);
    row("rank_order", parallel<&Parallel::order>, any, defaulted,
        "parallel axes in rank numbering, fastest first", "--use-tp-pp-dp-mapping",
        rank_order_names);
    row("first_stage_layers", parallel<&Parallel::first_stage_layers>, layer_count, defaulted,
        "layers of the first pipeline stage; 0: an even split",
        "--decoder-first-pipeline-num-layers");
    row("last_stage_layers", parallel<&Parallel::last_stage_layers>, layer_count, defaulted,
        "layers of the last pipeline stage; 0: an even split",
        "--decoder-last-pipeline-num-layers");
    row("stage_layers", parallel<&Parallel::stage_layers>, layer_count, defaulted,
        "layers of every virtual stage (chunk 0 of all stages, then chunk 1, ...); empty: derived",
        "--pipeline-model-parallel-layout");
    row("count_embedding_in_split", parallel<&Parallel::count_embedding_in_split>, any, defaulted,
        "the embedding takes the room of one layer in the split",
        "--account-for-embedding-in-pipeline-split");
    row("count_loss_in_split", parallel<&Parallel::count_loss_in_split>, any, defaulted,
        "the head and loss take the room of one layer in the split",
        "--account-for-loss-in-pipeline-split");
    row("vocab_padding", parallel<&Parallel::vocab_padding>, {1, 1 << 20}, defaulted,
        "the vocabulary is padded to a multiple of this x tensor_parallel",
        "--make-vocab-size-divisible-by");
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
        "(not) --no-scatter-gather-tensors-in-pipeline");
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
        "type of activations and matrix products", "--bf16, --fp16, --fp8-format", precision_names);
    row("recompute", training<&Training::recompute>, any, defaulted,
        "activations computed again in the backward pass: none, attention core, whole layers",
        "--recompute-granularity", recompute_names);
    row("flash_attention", training<&Training::flash_attention>, any, defaulted,
        "fused attention that never stores the score matrix", "--use-flash-attn");
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
        "ranks that compute slower: a list of {rank, factor}; factor 1.2 is 20 % slower");
    row("timeline_ranks", emulation<&Emulation::timeline_ranks>, Quantity::none,
        {0, most_ranks - 1}, "ranks whose timeline is kept");
    row("eager", emulation<&Emulation::eager_bytes>, Quantity::bytes, not_negative,
        "sends up to this size end before they are received");
    row("real_ranks", emulation<&Emulation::real_ranks>, Quantity::none, {0, most_ranks - 1},
        "ranks whose program is executed, each by a process of its own; needs native.text");
    row("real_durations", emulation<&Emulation::real_durations>, Quantity::none, any,
        "durations of the kernels of real ranks: the graph's, or measured while they run",
        real_durations_names);
    row("payload", emulation<&Emulation::payload>, Quantity::none, any,
        "what virtual ranks send to real ones: as the real members of a group do, zeros, noise",
        payload_names);
    row("watchdog", emulation<&Emulation::watchdog_s>, Quantity::seconds, {0.1, 1e6},
        "longest time that a real rank may take for one op before the job is ended");
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
    append_model(table);
    append_parallel(table);
    append_training(table);
    append_emulation(table);
    append_native(table);
    append_published(table);
}

}  // namespace prismllm::deck
