// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Rows that describe the machine: device with its calibration fits, and cluster.
#include <array>

#include "fields.hpp"

namespace prismllm::deck {
namespace {

using target::AttentionFit;
using target::Cluster;
using target::Device;
using target::GemmFit;
using target::Job;
using target::StreamingFit;
using enum Presence;

constexpr std::array<std::string_view, 5> architecture_names{"volta", "ampere", "hopper",
                                                             "blackwell", "cdna3"};
constexpr std::array<std::string_view, 3> cpu_names{"intel", "amd", "grace"};
constexpr std::array<std::string_view, 4> fabric_names{"infiniband", "roce", "efa", "tcpx"};

constexpr Range any{};
constexpr Range fraction{0, 1, false};
constexpr Range efficiency{0, 1.5, true};  // fits against datasheet peaks may pass 1
constexpr Range norm{1, 64, false};
constexpr Range short_time_us{0, 1e6, false};
constexpr Range rate{0, 1e20, true};
constexpr Range rate_or_none{0, 1e20, false};
constexpr Range factor{0, 1000, true};

template <auto... Members>
constexpr auto device = &slot_of<&Job::device, Members...>;
template <auto Member>
constexpr auto cluster = &slot_of<&Job::cluster, Member>;

void append_device(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Quantity quantity, Range range,
                              Presence presence, std::string_view meaning,
                              std::span<const std::string_view> choices = {}) {
        table.push_back({"device", key, slot, quantity, range, presence, choices, meaning, ""});
    };
    row("name", device<&Device::name>, Quantity::none, any, required, "name of the device");
    row("architecture", device<&Device::architecture>, Quantity::none, any, required,
        "generation; NCCL's tuning depends on it", architecture_names);
    row("sm_count", device<&Device::sm_count>, Quantity::none, {1, 4096}, required,
        "streaming multiprocessors (compute units)");
    row("fp32", device<&Device::fp32_flops>, Quantity::flop_rate, rate, required,
        "dense datasheet peak in fp32");
    row("fp16", device<&Device::fp16_flops>, Quantity::flop_rate, rate, required,
        "dense datasheet peak in fp16");
    row("bf16", device<&Device::bf16_flops>, Quantity::flop_rate, rate_or_none, defaulted,
        "dense datasheet peak in bf16; 0: the device has none");
    row("fp8", device<&Device::fp8_flops>, Quantity::flop_rate, rate_or_none, defaulted,
        "dense datasheet peak in fp8; 0: the device has none");
    row("memory", device<&Device::memory_bytes>, Quantity::bytes, {1, 1e15}, required,
        "device memory");
    row("memory_bandwidth", device<&Device::memory_bandwidth>, Quantity::bandwidth, rate, required,
        "datasheet memory bandwidth");
    row("launch_gap", device<&Device::launch_gap_us>, Quantity::microseconds, short_time_us,
        defaulted, "least time between two small kernels of a stream");
    row("source", device<&Device::source>, Quantity::none, any, required,
        "where the figures come from");
}

/// One table of a GEMM fit; Fit is the member of Device.
template <auto Fit>
void append_gemm(std::vector<Field>& table, const char* section) {
    const auto row = [&](const char* key, auto slot, Quantity quantity, Range range,
                         Presence presence, std::string_view meaning) {
        table.push_back({section, key, slot, quantity, range, presence, {}, meaning, ""});
    };
    const Quantity none = Quantity::none;
    const Quantity time = Quantity::microseconds;
    row("e256", device<Fit, &GemmFit::e256>, none, efficiency, in_group,
        "fraction of peak of a 256 x 128 tile");
    row("e128", device<Fit, &GemmFit::e128>, none, efficiency, in_group,
        "fraction of peak of a 128 x 128 tile");
    row("e64", device<Fit, &GemmFit::e64>, none, efficiency, in_group,
        "fraction of peak of a 128 x 64 tile");
    row("e6464", device<Fit, &GemmFit::e6464>, none, efficiency, in_group,
        "fraction of peak of a 64 x 64 tile");
    row("c", device<Fit, &GemmFit::c_us>, time, short_time_us, in_group, "overhead of a wave");
    row("t0", device<Fit, &GemmFit::t0_us>, time, short_time_us, in_group, "overhead of a kernel");
    row("bw", device<Fit, &GemmFit::bw>, none, efficiency, in_group,
        "fraction of datasheet memory bandwidth");
    row("q", device<Fit, &GemmFit::q>, none, fraction, in_group,
        "1: the last wave costs a whole one; 0: it costs its share");
    row("p", device<Fit, &GemmFit::p>, none, norm, in_group,
        "norm that joins math and memory time");
    row("delta", device<Fit, &GemmFit::delta>, none, {0, 10}, group,
        "slow-down of very large kernels (power)");
    row("kf", device<Fit, &GemmFit::kf>, none, {0, 1e6}, group, "prologue in K elements");
    row("tq", device<Fit, &GemmFit::tq_us>, time, short_time_us, group,
        "fp8: overhead of quantization");
    row("bwq", device<Fit, &GemmFit::bwq>, none, {0, 1.5}, group,
        "fp8: fraction of bandwidth while quantizing; 0: operands come quantized");
    row("sustained", device<Fit, &GemmFit::sustained>, none, {0.1, 10}, group,
        "factor on the time of large products in training steps against short bursts");
    row("source", device<Fit, &GemmFit::source>, none, any, in_group,
        "measurement the fit comes from");
}

template <auto Fit>
void append_attention(std::vector<Field>& table, const char* section) {
    const auto row = [&](const char* key, auto slot, Quantity quantity, Range range,
                         Presence presence, std::string_view meaning) {
        table.push_back({section, key, slot, quantity, range, presence, {}, meaning, ""});
    };
    const Quantity none = Quantity::none;
    const Quantity time = Quantity::microseconds;
    row("emax", device<Fit, &AttentionFit::emax>, none, efficiency, in_group,
        "largest fraction of peak");
    row("c", device<Fit, &AttentionFit::c_us>, time, short_time_us, in_group, "overhead of a wave");
    row("t0", device<Fit, &AttentionFit::t0_us>, time, short_time_us, in_group,
        "overhead of a kernel");
    row("q", device<Fit, &AttentionFit::q>, none, fraction, in_group,
        "1: the last wave costs a whole one; 0: it costs its share");
    row("bw", device<Fit, &AttentionFit::bw>, none, efficiency, in_group,
        "fraction of datasheet memory bandwidth");
    row("p", device<Fit, &AttentionFit::p>, none, norm, in_group,
        "norm that joins math and memory time");
    row("k0", device<Fit, &AttentionFit::k0>, none, {0, 1e6}, group, "prologue in key columns");
    row("source", device<Fit, &AttentionFit::source>, none, any, in_group,
        "measurement the fit comes from");
}

template <auto Fit>
void append_streaming(std::vector<Field>& table, const char* section) {
    table.push_back({section,
                     "eff",
                     device<Fit, &StreamingFit::eff>,
                     Quantity::none,
                     efficiency,
                     in_group,
                     {},
                     "fraction of datasheet memory bandwidth",
                     ""});
    table.push_back({section,
                     "t0",
                     device<Fit, &StreamingFit::t0_us>,
                     Quantity::microseconds,
                     short_time_us,
                     in_group,
                     {},
                     "overhead of a kernel",
                     ""});
    table.push_back({section,
                     "source",
                     device<Fit, &StreamingFit::source>,
                     Quantity::none,
                     any,
                     in_group,
                     {},
                     "measurement the fit comes from",
                     ""});
}

void append_fits(std::vector<Field>& table) {
    append_gemm<&Device::gemm_bf16>(table, "device.gemm.bf16");
    append_gemm<&Device::gemm_fp16>(table, "device.gemm.fp16");
    append_gemm<&Device::gemm_fp8>(table, "device.gemm.fp8");
    append_gemm<&Device::gemm_fp32>(table, "device.gemm.fp32");
    append_attention<&Device::attention_forward>(table, "device.attention.forward");
    append_attention<&Device::attention_backward>(table, "device.attention.backward");
    append_streaming<&Device::norm_forward>(table, "device.streaming.norm_forward");
    append_streaming<&Device::norm_backward>(table, "device.streaming.norm_backward");
    append_streaming<&Device::elementwise>(table, "device.streaming.elementwise");
    append_streaming<&Device::activation>(table, "device.streaming.activation");
    append_streaming<&Device::softmax>(table, "device.streaming.softmax");
    append_streaming<&Device::rope>(table, "device.streaming.rope");
    append_streaming<&Device::embedding>(table, "device.streaming.embedding");
    append_streaming<&Device::cross_entropy>(table, "device.streaming.cross_entropy");
    append_streaming<&Device::optimizer>(table, "device.streaming.optimizer");
}

void append_cluster(std::vector<Field>& table) {
    const auto row = [&table](const char* key, auto slot, Quantity quantity, Range range,
                              Presence presence, std::string_view meaning,
                              std::span<const std::string_view> choices = {}) {
        table.push_back({"cluster", key, slot, quantity, range, presence, choices, meaning, ""});
    };
    const Quantity none = Quantity::none;
    const Quantity time = Quantity::microseconds;
    row("name", cluster<&Cluster::name>, none, any, required, "name of the cluster");
    row("gpus_per_node", cluster<&Cluster::gpus_per_node>, none, {1, 4096}, defaulted,
        "GPUs of a scale-up domain");
    row("cpu", cluster<&Cluster::cpu>, none, any, defaulted,
        "host processor; NCCL's latency terms depend on it", cpu_names);
    row("nvswitch", cluster<&Cluster::nvswitch>, none, any, defaulted,
        "scale-up links go through switches");
    row("nvlink_links", cluster<&Cluster::nvlink_links>, none, {0, 1024}, defaulted,
        "scale-up links of a GPU; above 0 they set NCCL's budget in place of the bandwidth");
    row("scale_up_bandwidth", cluster<&Cluster::scale_up_bandwidth>, Quantity::bandwidth, rate,
        required, "all scale-up links of a GPU, one direction; see nvlink_links");
    row("nics_per_node", cluster<&Cluster::nics_per_node>, none, {1, 1024}, required,
        "NICs of a node for training traffic");
    row("nic_bandwidth", cluster<&Cluster::nic_bandwidth>, Quantity::bandwidth, rate, required,
        "line rate of a NIC, one direction");
    row("fabric", cluster<&Cluster::fabric>, none, any, defaulted,
        "scale-out network; its speed is in nic_* and latency_factor_scale_out", fabric_names);
    row("latency_factor_scale_up", cluster<&Cluster::latency_factor_scale_up>, none, factor,
        defaulted, "factor on NCCL's latency, groups inside a node");
    row("latency_factor_scale_out", cluster<&Cluster::latency_factor_scale_out>, none, factor,
        defaulted, "factor on NCCL's latency, groups that span nodes");
    row("half_size_scale_up", cluster<&Cluster::half_size_scale_up_bytes>, Quantity::bytes,
        {0, 1e15}, defaulted,
        "pipeline fill inside a node: size term x (1 + half / (size + half))");
    row("half_size_scale_out", cluster<&Cluster::half_size_scale_out_bytes>, Quantity::bytes,
        {0, 1e15}, defaulted,
        "pipeline fill between nodes: size term x (1 + half / (size + half))");
    row("collective_launch", cluster<&Cluster::collective_launch_us>, time, short_time_us,
        defaulted, "added to every collective");
    row("p2p_latency_scale_up", cluster<&Cluster::p2p_latency_scale_up_us>, time, short_time_us,
        defaulted, "of a send/receive pair inside a node");
    row("p2p_latency_scale_out", cluster<&Cluster::p2p_latency_scale_out_us>, time, short_time_us,
        defaulted, "of a send/receive pair between nodes");
    row("nic_efficiency", cluster<&Cluster::nic_efficiency>, none, {0, 1, true}, defaulted,
        "fraction of line rate that a NIC reaches");
    row("source", cluster<&Cluster::source>, none, any, required, "where the figures come from");
}

}  // namespace

void append_machine_fields(std::vector<Field>& table) {
    append_device(table);
    append_fits(table);
    append_cluster(table);
}

}  // namespace prismllm::deck
