// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/device/host_executor.hpp"

#include <array>
#include <map>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include "prismllm/base/error.hpp"
#include "prismllm/base/random.hpp"

#include "launch.hpp"
#include "rounding.hpp"
#include "start_values.hpp"

namespace prismllm::device {
namespace {

void start_kokkos() {
    if (!Kokkos::is_initialized()) {
        Kokkos::initialize();
    }
}

}  // namespace

struct HostExecutor::Impl {
    Impl(const program::Setup& setup, std::int64_t rank, const Training& options,
         std::span<const std::byte> bytes, Transport* carrier)
        : training{options},
          text{bytes},
          transport{carrier},
          context{setup, setup.layout.coordinates(rank), training, memory} {}

    [[nodiscard]] std::uint64_t seed() const { return static_cast<std::uint64_t>(training.seed); }
    /// Number of a sample of the located micro-batch in the whole run.
    [[nodiscard]] std::uint64_t sample_number(std::int64_t sample) const;
    /// Dropout draws anew for every sample, layer and place in the layer, and the same again when a
    /// layer is recomputed.
    void renew_dropout();

    const Training training;
    std::span<const std::byte> text;
    Transport* transport;
    Memory memory;
    KernelContext context;
    std::int64_t micro_batch = 0, layer = -1;
    std::uint64_t dropouts = 0;  ///< since the layer was entered
    /// Transfers started on each stream and not covered by an event yet.
    std::array<std::vector<std::uint64_t>, program::stream_count> started;
    std::map<std::uint32_t, std::vector<std::uint64_t>> of_event;
    std::uint32_t next_event = 0;
};

std::uint64_t HostExecutor::Impl::sample_number(std::int64_t sample) const {
    const target::Layout& l = context.setup.layout;
    const std::int64_t size = context.setup.training.micro_batch_size;
    const std::int64_t in_batch = (micro_batch * l.data + context.where.data) * size + sample;
    return static_cast<std::uint64_t>((context.step - 1) * l.micro_batches * l.data * size +
                                      in_batch);
}

void HostExecutor::Impl::renew_dropout() {
    const program::Setup& setup = context.setup;
    const std::int64_t elements = setup.sizes.sharded_tokens * setup.sizes.hidden;
    DropoutRule& rule = context.hidden_dropout;
    rule.probability = static_cast<float>(setup.training.hidden_dropout);
    rule.key = random_word(random_word(seed(), static_cast<std::uint64_t>(layer + 1)), dropouts);
    rule.first = setup.parallel.sequence ? context.where.tensor * elements : 0;
    rule.samples = setup.training.micro_batch_size;
    rule.columns = setup.sizes.hidden;
    rule.first_sample = sample_number(0);
}

HostExecutor::HostExecutor(const program::Setup& setup, std::int64_t rank, const Training& training,
                           std::span<const std::byte> text, Transport* transport)
    : impl_{std::make_unique<Impl>(setup, rank, training, text, transport)} {
    start_kokkos();
}

HostExecutor::~HostExecutor() = default;

double HostExecutor::end_step() {
    KernelContext& c = impl_->context;
    const double mean = c.loss_count > 0 ? c.loss / static_cast<double>(c.loss_count) : 0;
    c.loss = 0;
    c.loss_count = 0;
    ++c.step;
    return mean;
}

std::int64_t HostExecutor::skipped_updates() const {
    return impl_->context.skipped;
}

bool HostExecutor::gradient_was_lost() const {
    return impl_->context.bad_gradient;
}

std::int64_t HostExecutor::allocated_bytes() const {
    return impl_->memory.bytes();
}

std::int64_t HostExecutor::peak_bytes() const {
    return impl_->memory.peak_bytes();
}

void HostExecutor::initialize(program::Buffer weight, const program::ParameterPart& part) {
    const StartRule rule{impl_->seed(), impl_->training.start_deviation,
                         impl_->context.setup.model.layers};
    const Out out = impl_->memory.floats(weight);
    fill_part(rule, part, out);
    round_to(impl_->memory.dtype(weight), out);
}

void HostExecutor::initialize_master(program::Buffer master, program::Buffer weight) {
    const Out from = impl_->memory.floats(weight);
    std::copy(from.begin(), from.end(), impl_->memory.floats(master).begin());
}

void HostExecutor::load(program::Buffer buffer, program::Input input) {
    const target::Training& t = impl_->context.setup.training;
    const std::span<std::int64_t> out = impl_->memory.ids(buffer);
    impl_->memory.input(buffer) = input;
    // A label is the byte behind its token.
    const std::uint64_t places = impl_->text.size() - static_cast<std::uint64_t>(t.sequence_length);
    for (std::int64_t sample = 0; sample < t.micro_batch_size; ++sample) {
        const std::uint64_t begin =
            random_word(impl_->seed(), impl_->sample_number(sample)) % places;
        for (std::int64_t position = 0; position < t.sequence_length; ++position) {
            const auto at = static_cast<std::size_t>(position * t.micro_batch_size + sample);
            const std::uint64_t place = begin + static_cast<std::uint64_t>(position) +
                                        (input == program::Input::labels ? 1 : 0);
            out[at] = input == program::Input::positions
                          ? position
                          : static_cast<std::int64_t>(impl_->text[place]);
        }
    }
}

program::Buffer HostExecutor::allocate(std::string_view name, graph::TensorRole, graph::DType dtype,
                                       std::int64_t elements) {
    return impl_->memory.allocate(name, dtype, elements);
}

void HostExecutor::release(program::Buffer buffer) {
    impl_->memory.release(buffer);
}

void HostExecutor::launch(program::Stream, const graph::Kernel& kernel,
                          std::span<const program::Buffer> reads,
                          std::span<const program::Buffer> writes) {
    if (drops_hidden_states(kernel)) {
        impl_->renew_dropout();
        ++impl_->dropouts;
    }
    run_kernel(impl_->context, kernel, reads, writes);
}

void HostExecutor::communicate(program::Stream stream, const graph::Communication& call,
                               program::Buffer in, program::Buffer out) {
    if (impl_->transport == nullptr) {
        throw SystemError{ErrorCode::internal, "a rank without peers communicates"};
    }
    auto& started = impl_->started[static_cast<std::size_t>(stream)];
    if (call.kind == graph::CollectiveKind::send) {
        started.push_back(impl_->transport->start_send(call, impl_->memory.floats(in)));
    } else if (call.kind == graph::CollectiveKind::recv) {
        started.push_back(impl_->transport->start_recv(call, impl_->memory.floats(out)));
    } else {
        const Out result = impl_->memory.floats(out);
        impl_->transport->collective(call, impl_->memory.floats(in), result);
        round_to(impl_->memory.dtype(out), result);
    }
}

program::Event HostExecutor::record(program::Stream stream) {
    auto& started = impl_->started[static_cast<std::size_t>(stream)];
    if (!started.empty()) {
        impl_->of_event.emplace(impl_->next_event, std::exchange(started, {}));
    }
    return {impl_->next_event++};
}

void HostExecutor::wait(program::Stream, program::Event event) {
    const auto found = impl_->of_event.find(event.id);
    if (found != impl_->of_event.end()) {
        for (const std::uint64_t ticket : found->second) {
            impl_->transport->finish(ticket);
        }
        impl_->of_event.erase(found);
    }
}

void HostExecutor::enter(graph::Phase phase) {
    if (phase == graph::Phase::recompute) {
        impl_->dropouts = 0;
    }
}

void HostExecutor::locate(std::int64_t micro_batch, std::int64_t layer) {
    impl_->micro_batch = micro_batch;
    impl_->layer = layer;
    impl_->dropouts = 0;
}

std::unique_ptr<RankExecutor> make_rank_executor(const program::Setup& setup, std::int64_t rank,
                                                 const Training& training,
                                                 std::span<const std::byte> text,
                                                 Transport* transport) {
    return std::make_unique<HostExecutor>(setup, rank, training, text, transport);
}

}  // namespace prismllm::device
