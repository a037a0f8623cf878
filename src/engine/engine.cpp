// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/engine/engine.hpp"

#include <utility>

#include "machine.hpp"

namespace prismllm::engine {

struct Engine::Impl {
    Impl(const graph::ExecutionGraph& graph, std::vector<std::int32_t> owner, Exchange& exchange,
         Options options)
        : machine{graph, std::move(owner), exchange, std::move(options)} {}
    Machine machine;
};

Engine::Engine(const graph::ExecutionGraph& graph, std::vector<std::int32_t> owner,
               Exchange& exchange, Options options)
    : impl_{std::make_unique<Impl>(graph, std::move(owner), exchange, std::move(options))} {}

Engine::~Engine() = default;

Status Engine::run_iteration() {
    return impl_->machine.run_iteration();
}

const LaneResults& Engine::results() const {
    return impl_->machine.results();
}

double Engine::state_bytes_per_participant() const {
    return impl_->machine.state_bytes_per_participant();
}

std::int64_t Engine::participant_ops() const {
    return impl_->machine.participant_ops();
}

}  // namespace prismllm::engine
