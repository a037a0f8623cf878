// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/target/job.hpp
/// The target job as plain settings: what a deck says, after defaults, before any derivation.
/// Filled by `deck` (which owns names, units and ranges), read by everybody, never changed.
/// 0 means "not given" where a field says so; `target/layout.hpp` and `target/parameters.hpp`
/// derive what follows from these.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace prismllm::target {

enum class NormKind : std::uint8_t { layernorm, rmsnorm };
enum class PositionKind : std::uint8_t { rope, learned, alibi, none };

/// Decoder-only transformer. Field names follow Megatron-LM.
struct Model {
    std::string name;
    std::int64_t layers = 0;
    std::int64_t hidden_size = 0;
    std::int64_t ffn_hidden_size = 0;  ///< 0: 4 x hidden_size
    std::int64_t attention_heads = 0;
    std::int64_t kv_heads = 0;  ///< 0: attention_heads (no grouped-query attention)
    std::int64_t head_dim = 0;  ///< 0: hidden_size / attention_heads
    std::int64_t vocab_size = 0;
    bool gated_mlp = false;        ///< SwiGLU: three MLP matrices instead of two
    bool tied_embeddings = false;  ///< output head shares the input embedding
    bool qkv_bias = false;
    bool attention_output_bias = false;
    bool mlp_bias = false;
    bool qk_norm = false;          ///< norms of head_dim on queries and keys
    bool attention_sinks = false;  ///< a learned logit a head in the softmax (gpt-oss)
    bool embedding_norm = false;   ///< a norm after the embedding (BLOOM)
    NormKind norm = NormKind::rmsnorm;
    std::int64_t norms_per_layer = 2;
    PositionKind positions = PositionKind::rope;
    std::int64_t max_positions = 0;  ///< rows of the learned position table (positions = learned)

    // Mixture of experts: the MLP of a layer is replaced by experts, of which a token meets a few.
    std::int64_t experts = 0;                        ///< of a layer; 0: a dense model
    std::int64_t experts_per_token = 0;              ///< routed experts that a token is sent to
    std::int64_t expert_ffn_hidden_size = 0;         ///< of one expert; 0: ffn_hidden_size
    std::int64_t shared_expert_ffn_hidden_size = 0;  ///< all shared experts together; 0: none
    bool shared_expert_gate = false;                 ///< a learned gate on the shared experts
    bool router_correction_bias = false;  ///< a bias an expert that only balances the load
    std::int64_t first_dense_layers = 0;  ///< leading layers that keep a plain MLP

    /// Whether layer `layer` (from 0) has experts in place of the MLP.
    [[nodiscard]] bool has_experts(std::int64_t layer) const {
        return experts > 0 && layer >= first_dense_layers;
    }
};

/// Order of the parallel axes in rank numbering, fastest first. Megatron-LM's default is
/// tp-cp-ep-dp-pp; `--use-tp-pp-dp-mapping` is tp-cp-ep-pp-dp.
enum class RankOrder : std::uint8_t { tp_cp_ep_dp_pp, tp_cp_ep_pp_dp };

enum class PipelineSchedule : std::uint8_t { one_f_one_b, gpipe };  ///< interleaved if virtual > 1

struct Parallel {
    std::int64_t world_size = 0;
    std::int64_t tensor = 1;
    std::int64_t context = 1;
    std::int64_t expert = 1;
    std::int64_t expert_tensor = 0;  ///< ranks that share each expert's matrices; 0: tensor
    std::int64_t pipeline = 1;
    std::int64_t virtual_pipeline = 1;  ///< model chunks a pipeline stage holds
    bool sequence = false;              ///< Megatron sequence parallelism (needs tensor > 1)
    RankOrder order = RankOrder::tp_cp_ep_dp_pp;
    PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
    std::int64_t first_stage_layers = 0;     ///< 0: not given
    std::int64_t last_stage_layers = 0;      ///< 0: not given
    std::vector<std::int64_t> stage_layers;  ///< explicit split, one entry a virtual stage
    bool count_embedding_in_split = false;   ///< the embedding takes the room of one layer
    bool count_loss_in_split = false;        ///< the head and loss take the room of one layer
    std::int64_t vocab_padding = 128;  ///< vocabulary is padded to a multiple of this x tensor
    int zero_stage = 0;                ///< 0: plain data parallel; 1: distributed optimizer
    bool overlap_grad_reduce = false;
    bool overlap_param_gather = false;
    bool overlap_p2p = true;             ///< interleaved schedules: send/recv beside compute
    bool scatter_gather_p2p = false;     ///< stages send 1/tensor of an activation and gather it
                                         ///< (Megatron-LM 2021, without sequence parallelism)
    std::int64_t bucket_parameters = 0;  ///< 0: Megatron's max(40 M, 1 M x data parallel size)
    bool kv_replication = false;         ///< allow tensor > kv_heads by copying K and V heads
};

enum class Precision : std::uint8_t { bf16, fp16, fp32, fp8 };
enum class Recompute : std::uint8_t { none, selective, full };

struct Training {
    std::int64_t micro_batch_size = 1;
    std::int64_t global_batch_size = 0;
    std::int64_t sequence_length = 0;
    Precision precision = Precision::bf16;
    Recompute recompute = Recompute::none;
    bool flash_attention = true;
    bool fp32_grad_reduce = true;  ///< gradients accumulated and reduced in fp32
    double hidden_dropout = 0;     ///< probability, before residual additions and behind the
                                   ///< embedding; 0: no kernels and no masks
};

/// Parameters of the GEMM time model (docs/explanation/cost_model.md), fitted to measured
/// kernels of one device and dtype. Times in microseconds.
struct GemmFit {
    double e256 = 0, e128 = 0, e64 = 0, e6464 = 0;  ///< tile efficiencies, fraction of peak
    double c_us = 0, t0_us = 0;                     ///< per wave and per kernel overhead
    double bw = 1;                                  ///< fraction of datasheet memory bandwidth
    double q = 1;          ///< 1: whole waves; 0: perfectly blunted last wave
    double p = 4;          ///< norm that joins math and memory time
    double delta = 0;      ///< sustained slow-down of very large kernels
    double kf = 0;         ///< prologue in K elements
    double tq_us = 0;      ///< fp8: quantisation overhead
    double bwq = 0;        ///< fp8: fraction of bandwidth while quantising (0: pre-quantised)
    double sustained = 1;  ///< factor on large GEMMs in training steps against short bursts
    std::string source;    ///< where the fit comes from; empty: no fit for this dtype
};

/// Parameters of the fused (flash) attention time model.
struct AttentionFit {
    double emax = 0, c_us = 0, t0_us = 0, q = 1, bw = 1, p = 1.2, k0 = 0;
    std::string source;  ///< empty: no fit
};

/// Streaming kernels: time = t0 + bytes / (bandwidth x eff).
struct StreamingFit {
    double eff = 0, t0_us = 0;
    std::string source;  ///< empty: no fit
};

/// One accelerator. Rates are dense datasheet values in units of the name.
struct Device {
    std::string name;
    std::string architecture;  ///< volta, ampere, hopper, blackwell, cdna3
    std::int64_t sm_count = 0;
    double fp32_flops = 0, fp16_flops = 0, bf16_flops = 0, fp8_flops = 0;  ///< FLOP/s
    std::int64_t memory_bytes = 0;
    double memory_bandwidth = 0;  ///< bytes/s
    double launch_gap_us = 0;     ///< least time between two small kernels of a stream
    std::string source;
    GemmFit gemm_bf16, gemm_fp16, gemm_fp8, gemm_fp32;
    AttentionFit attention_forward, attention_backward;
    StreamingFit norm_forward, norm_backward, elementwise, activation, softmax, rope, embedding,
        cross_entropy, optimizer;
};

/// A cluster: nodes of equal GPUs, an intra-node (scale-up) and an inter-node (scale-out) fabric.
struct Cluster {
    std::string name;
    std::int64_t gpus_per_node = 8;
    std::string cpu = "intel";  ///< intel, amd, grace: NCCL's LL limits depend on it
    bool nvswitch = true;
    std::int64_t nvlink_links = 0;
    double scale_up_bandwidth = 0;  ///< bytes/s a GPU, one direction, all links
    std::int64_t nics_per_node = 0;
    double nic_bandwidth = 0;             ///< bytes/s a NIC, one direction
    std::string fabric = "infiniband";    ///< infiniband, roce, efa, tcpx
    double latency_factor_scale_up = 1;   ///< on NCCL's latency, groups inside a node
    double latency_factor_scale_out = 1;  ///< on NCCL's latency, groups that span nodes
    double half_size_scale_up_bytes = 0;  ///< pipeline fill: size term x (1 + half / (n + half))
    double half_size_scale_out_bytes = 0;
    double collective_launch_us = 2;  ///< added to every collective
    double p2p_latency_scale_up_us = 10;
    double p2p_latency_scale_out_us = 15;
    double nic_efficiency = 0.95;  ///< fraction of line rate a NIC reaches
    std::string source;
};

/// A rank that computes slower than its peers: durations are multiplied by `factor`.
struct SlowRank {
    std::int64_t rank = 0;
    double factor = 1;
};

/// A rank that does nothing for a while before it begins an iteration.
struct Pause {
    std::int64_t rank = 0;
    std::int64_t iteration = 0;  ///< the first one is 0
    double time_s = 0;
};

/// What virtual participants say to real ranks: as real members do, nothing, or noise.
enum class Payload : std::uint8_t { replicate, zeros, random };
/// Durations of the kernels of real ranks: those of the graph, or what they take on this machine.
enum class RealDurations : std::uint8_t { graph, measured };
/// Clock that real ranks live by: none that they could see, or that of the wall.
enum class RunClock : std::uint8_t { emulated, wall };

struct Emulation {
    std::int64_t iterations = 1;
    std::int64_t seed = 1;
    double jitter = 0;  ///< relative standard deviation of every kernel's duration
    std::vector<SlowRank> slow_ranks;
    std::vector<Pause> pauses;
    std::vector<std::int64_t> timeline_ranks;
    std::int64_t eager_bytes = 0;          ///< sends up to this size end before they are received
    std::vector<std::int64_t> real_ranks;  ///< ranks whose program is executed
    RunClock clock = RunClock::emulated;
    RealDurations real_durations = RealDurations::graph;
    Payload payload = Payload::replicate;
    double watchdog_s = 600;  ///< longest time that a real rank may take for one op
};

/// How real ranks train (prismllm native). Times are not modelled by any of it.
/// What computes the kernels of real ranks.
enum class RankDevice : std::uint8_t { host, cuda };

struct Native {
    RankDevice device = RankDevice::host;
    std::string text;  ///< file to train on, one token a byte; relative to the deck's folder
    std::int64_t steps = 100;
    std::int64_t seed = 1;  ///< of start values, samples and dropout
    double learning_rate = 1e-3;
    double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;  ///< of Adam
    double weight_decay = 0;                           ///< decoupled, on all parameters
    double clip_gradient = 1;                          ///< limit of the gradient's norm; 0: none
    double start_deviation = 0.02;  ///< standard deviation of normal start values
    double loss_scale = 1024;       ///< fp16 only
    double rope_base = 10000;
};

/// What a public source measured, for comparison only: nothing reads it to predict.
struct Published {
    std::string source;
    std::optional<double> iteration_time_s;
    std::optional<double> model_tflops_per_gpu;
    std::optional<double> mfu;  ///< fraction
    std::optional<double> tokens_per_s_per_gpu;
    std::string flops_formula;  ///< formula behind model_tflops_per_gpu, see report
    std::string note;
};

struct Job {
    std::string title;
    Model model;
    Parallel parallel;
    Training training;
    Device device;
    Cluster cluster;
    Emulation emulation;
    Native native;
    Published published;
};

}  // namespace prismllm::target
