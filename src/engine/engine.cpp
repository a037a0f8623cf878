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

void Engine::begin_iteration() {
    impl_->machine.begin_iteration();
}

void Engine::issue(std::size_t count) {
    impl_->machine.issue(count);
}

bool Engine::is_free(std::uint8_t stream) const {
    return impl_->machine.is_free(stream);
}

Expected<std::int64_t> Engine::await_stream(std::uint8_t stream) {
    return impl_->machine.await_stream(stream);
}

Status Engine::check_cancelled() {
    return impl_->machine.check_cancelled();
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
