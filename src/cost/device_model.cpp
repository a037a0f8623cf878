// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/cost/device_model.hpp"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "prismllm/base/units.hpp"

#include "kernel_time.hpp"

namespace prismllm::cost {
namespace {

using graph::DType;
using graph::Kernel;
using graph::KernelKind;
using graph::Provenance;
using target::Device;

struct Estimate {
    double time_us = 0;
    Provenance provenance = Provenance::assumed;
};

// What an untuned kernel reaches of the datasheet figures where there is no fit at all:
// the ceilings seen over all measured devices (docs/explanation/cost_model.md).
constexpr double roofline_math_efficiency = 0.6;
constexpr double roofline_memory_efficiency = 0.75;

double peak_of(const Device& device, DType dtype) {
    const double sixteen_bit = std::max(device.bf16_flops, device.fp16_flops);
    switch (dtype) {
        case DType::bf16:
            if (device.bf16_flops > 0)
                return device.bf16_flops;
            break;
        case DType::fp16:
            if (device.fp16_flops > 0)
                return device.fp16_flops;
            break;
        case DType::fp8:
            if (device.fp8_flops > 0)
                return device.fp8_flops;
            break;
        default:
            return device.fp32_flops;
    }
    return sixteen_bit > 0 ? sixteen_bit : device.fp32_flops;
}

DeviceRates rates_of(const Device& device, DType dtype) {
    return {static_cast<double>(device.sm_count), peak_of(device, dtype), device.memory_bandwidth};
}

Estimate roofline(const Device& device, const Kernel& kernel) {
    const DeviceRates rates = rates_of(device, kernel.dtype);
    const double math_us = kernel.flops / (rates.peak_flops * roofline_math_efficiency) * 1e6;
    const double memory_us =
        streaming_time_us(rates, static_cast<double>(kernel.bytes), roofline_memory_efficiency, 0);
    return {device.launch_gap_us + std::max(math_us, memory_us), Provenance::assumed};
}

template <class Fit>
struct ChosenFit {
    const Fit* fit = nullptr;
    Provenance provenance = Provenance::assumed;
};

/// A fit whose source begins so was measured on another device.
constexpr std::string_view carried_over = "carried over";

/// First fit of the list that exists. It is calibrated where it describes this kind of kernel (the
/// first place) on this device, else modelled.
template <class Fit>
ChosenFit<Fit> first_fit(std::initializer_list<const Fit*> candidates) {
    for (const Fit* candidate : candidates) {
        if (candidate->source.empty())
            continue;
        const bool own = candidate == *candidates.begin() &&
                         !std::string_view{candidate->source}.starts_with(carried_over);
        return {candidate, own ? Provenance::calibrated : Provenance::modelled};
    }
    return {};
}

ChosenFit<target::GemmFit> gemm_fit(const Device& d, DType dtype) {
    switch (dtype) {
        case DType::bf16:
            return first_fit({&d.gemm_bf16, &d.gemm_fp16, &d.gemm_fp8, &d.gemm_fp32});
        case DType::fp16:
            return first_fit({&d.gemm_fp16, &d.gemm_bf16, &d.gemm_fp8, &d.gemm_fp32});
        case DType::fp8:
            return first_fit({&d.gemm_fp8, &d.gemm_bf16, &d.gemm_fp16, &d.gemm_fp32});
        default:
            return first_fit({&d.gemm_fp32, &d.gemm_bf16, &d.gemm_fp16, &d.gemm_fp8});
    }
}

Estimate gemm(const Device& device, const Kernel& kernel) {
    const auto [fit, provenance] = gemm_fit(device, kernel.dtype);
    if (fit == nullptr)
        return roofline(device, kernel);
    constexpr std::int64_t weight_gradient = 2;
    // Both operands of a weight gradient were quantized by the two passes before it.
    const bool quantize = kernel.dtype == DType::fp8 && kernel.shape[4] != weight_gradient;
    const auto input_bytes = static_cast<double>(graph::size_of(kernel.dtype));
    const GemmShape shape{kernel.shape[0],
                          kernel.shape[1],
                          kernel.shape[2],
                          std::max<std::int64_t>(1, kernel.shape[3]),
                          input_bytes,
                          std::max(2.0, input_bytes),
                          static_cast<double>(kernel.bytes),
                          quantize};
    double time_us = gemm_time_us(rates_of(device, kernel.dtype), *fit, shape);
    constexpr double large = 17179869184.0;  // 2^34 multiply-adds, as in the fits
    const double multiply_adds = static_cast<double>(shape.m) * static_cast<double>(shape.n) *
                                 static_cast<double>(shape.k) * static_cast<double>(shape.batch);
    if (multiply_adds >= large)
        time_us *= fit->sustained;
    return {time_us, provenance};
}

/// Time of the backward kernel over that of the forward one where only one has a fit: measured
/// medians of FlashAttention-2 on A100, cuDNN on H200 and on GB200.
double backward_over_forward(const std::string& architecture) {
    if (architecture == "hopper")
        return 3.0;
    if (architecture == "blackwell")
        return 3.2;
    return 2.8;
}

Estimate attention(const Device& device, const Kernel& kernel) {
    constexpr double backward_work = 2.5;
    const bool is_backward = kernel.kind == KernelKind::attention_backward;
    const auto& own = is_backward ? device.attention_backward : device.attention_forward;
    const auto& other = is_backward ? device.attention_forward : device.attention_backward;
    const auto [fit, fit_provenance] = first_fit({&own, &other});
    if (fit == nullptr)
        return roofline(device, kernel);

    const bool fit_is_backward = fit == &device.attention_backward;
    const auto& s = kernel.shape;
    const AttentionShape shape{s[0],
                               s[1],
                               s[2],
                               s[3],
                               s[4] > 0 ? s[4] : s[3],
                               s[5],
                               s[6] != 0,
                               static_cast<double>(graph::size_of(kernel.dtype)),
                               fit_is_backward ? backward_work : 1.0};
    // The fits are of 16-bit kernels; fp8 attention gains little over them (measured 1.26 times
    // on H100), so it is priced as 16 bits.
    const bool sixteen_bit = kernel.dtype == DType::bf16 || kernel.dtype == DType::fp16;
    const DType math_dtype = kernel.dtype == DType::fp8 ? DType::bf16 : kernel.dtype;
    double time_us = attention_time_us(rates_of(device, math_dtype), *fit, shape);
    if (fit_is_backward != is_backward) {
        const double ratio = backward_over_forward(device.architecture);
        time_us *= is_backward ? ratio : 1 / ratio;
    }
    return {time_us, sixteen_bit ? fit_provenance : Provenance::modelled};
}

ChosenFit<target::StreamingFit> streaming_fit(const Device& d, KernelKind kind) {
    switch (kind) {
        case KernelKind::norm_forward:
            return first_fit({&d.norm_forward, &d.softmax, &d.elementwise});
        case KernelKind::norm_backward:
            return first_fit({&d.norm_backward, &d.norm_forward, &d.elementwise});
        case KernelKind::softmax_forward:
        case KernelKind::softmax_backward:
            return first_fit({&d.softmax, &d.norm_forward, &d.elementwise});
        case KernelKind::activation_forward:
        case KernelKind::activation_backward:
            return first_fit({&d.activation, &d.elementwise});
        case KernelKind::rope:
            return first_fit({&d.rope, &d.elementwise});
        case KernelKind::embedding_forward:
        case KernelKind::embedding_backward:
            return first_fit({&d.embedding, &d.elementwise});
        case KernelKind::cross_entropy_forward:
        case KernelKind::cross_entropy_backward:
            return first_fit({&d.cross_entropy, &d.softmax, &d.elementwise});
        case KernelKind::adam:
            return first_fit({&d.optimizer, &d.elementwise});
        default:
            return first_fit({&d.elementwise});
    }
}

Estimate streaming(const Device& device, const Kernel& kernel) {
    const auto [fit, provenance] = streaming_fit(device, kernel.kind);
    if (fit == nullptr)
        return roofline(device, kernel);
    return {streaming_time_us(rates_of(device, kernel.dtype), static_cast<double>(kernel.bytes),
                              fit->eff, fit->t0_us),
            provenance};
}

Estimate estimate(const Device& device, const Kernel& kernel) {
    switch (kernel.kind) {
        case KernelKind::gemm:
            return gemm(device, kernel);
        case KernelKind::attention_forward:
        case KernelKind::attention_backward:
            return attention(device, kernel);
        default:
            return streaming(device, kernel);
    }
}

}  // namespace

DeviceModel::DeviceModel(Device device) : device_{std::move(device)} {}

graph::Cost DeviceModel::cost(const Kernel& kernel) const {
    const Estimate e = estimate(device_, kernel);
    // Kernels of one stream cannot start closer together than the launch gap.
    const double time_us = std::max(e.time_us, device_.launch_gap_us);
    return {duration_from_seconds(time_us * 1e-6).count(), e.provenance};
}

double peak_flops(const Device& device, target::Precision precision) {
    switch (precision) {
        case target::Precision::bf16:
            return device.bf16_flops;
        case target::Precision::fp16:
            return device.fp16_flops;
        case target::Precision::fp32:
            return device.fp32_flops;
        case target::Precision::fp8:
            return device.fp8_flops;
    }
    return 0;
}

}  // namespace prismllm::cost
