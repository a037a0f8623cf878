// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/cost/device_model.hpp
/// How long one kernel takes on one kind of device, from a calibrated parametric model
/// (docs/explanation/cost_model.md). Pure: no state changes after construction.
#pragma once

#include <string>

#include "prismllm/graph/execution_graph.hpp"
#include "prismllm/target/job.hpp"

namespace prismllm::cost {

class DeviceModel {
public:
    /// @pre the deck room has checked ranges: rates and sizes are positive.
    explicit DeviceModel(target::Device device);

    /// Duration on an otherwise idle device. Provenance is `calibrated` where the device carries
    /// a fit for the kernel's kind and dtype, `modelled` where a fit of another dtype or kind is
    /// carried over, `assumed` where only the datasheet roofline is left.
    [[nodiscard]] graph::Cost cost(const graph::Kernel& kernel) const;

    [[nodiscard]] const target::Device& device() const { return device_; }

private:
    target::Device device_;
};

/// Dense datasheet peak for the training precision, FLOP/s; 0 where the device has none.
[[nodiscard]] double peak_flops(const target::Device& device, target::Precision precision);

}  // namespace prismllm::cost
