// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "medians.hpp"

#include <algorithm>

namespace prismllm::emulation {

std::int64_t quantile(Samples& samples, double q) {
    const auto at = static_cast<std::size_t>(q * static_cast<double>(samples.size() - 1) + 0.5);
    const auto place = samples.begin() + static_cast<std::ptrdiff_t>(at);
    std::ranges::nth_element(samples, place);
    return *place;
}

MeasuredKernels take_medians(std::vector<Samples>& samples, graph::ExecutionGraph& graph) {
    MeasuredKernels measured;
    std::vector<double> spreads;
    graph.kernel_spread.assign(graph.kernels.size(), 0);
    for (std::size_t k = 0; k < samples.size(); ++k) {
        if (samples[k].empty()) {
            continue;
        }
        ++measured.kernels;
        measured.samples += static_cast<std::int64_t>(samples[k].size());
        const std::int64_t median = quantile(samples[k], 0.5);
        const std::int64_t half = quantile(samples[k], 0.75) - quantile(samples[k], 0.25);
        graph.kernel_costs[k] = {median, graph::Provenance::measured};
        graph.kernel_spread[k] =
            median > 0 ? static_cast<double>(half) / static_cast<double>(median) : 0;
        spreads.push_back(graph.kernel_spread[k]);
    }
    std::ranges::sort(spreads);
    measured.spread = spreads.empty() ? 0 : spreads[spreads.size() / 2];
    return measured;
}

}  // namespace prismllm::emulation
