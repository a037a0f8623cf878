// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "prismllm/cost/collective_model.hpp"
#include "prismllm/cost/device_model.hpp"
#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::slicing {

/// Fill kernel_costs, group_shape and communication_costs from the models. Equal shapes of a
/// family share a number. Costs of descriptions the models do not know are kept, labelled
/// `assumed`.
void attach_costs(graph::ExecutionGraph& graph, const cost::DeviceModel& device,
                  const cost::CollectiveModel& network);

/// Give kernels the durations that equal kernels of `from` were measured to take, and calls those
/// of equal calls.
/// @return how many kernels have them now.
[[nodiscard]] std::int64_t take_measured_costs(graph::ExecutionGraph& graph,
                                               const graph::ExecutionGraph& from);

}  // namespace prismllm::slicing
