// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "device_executor.hpp"

#include <utility>

#include "prismllm/base/error.hpp"
#include "prismllm/base/random.hpp"

#include "open_device.hpp"
#include "parallel.hpp"
#include "start_values.hpp"

namespace prismllm::device {

using graph::CollectiveKind;

DeviceExecutor::DeviceExecutor(std::unique_ptr<Device> device, Timing timing,
                               const program::Setup& setup, std::int64_t rank,
                               const Training& training, std::span<const std::byte> text,
                               Transport* transport)
    : training_{training},
      text_{text},
      transport_{transport},
      device_{std::move(device)},
      timing_{timing},
      memory_{*device_},
      context_{setup,    setup.layout.coordinates(rank), training_, memory_,
               *device_, device_->operations()} {
    start_host_loops();
    device_->use(program::Stream::compute);
    context_.loss = static_cast<double*>(device_->allocate(sizeof(double), Device::Start::zeros));
    if (context_.loss == nullptr) {
        throw SystemError{ErrorCode::resources,
                          "the device has no memory left. Free it of others."};
    }
    connect();
}

/// Groups in which all members are real ranks need not stage their payloads on the host.
void DeviceExecutor::connect() {
    StreamCollectives* collectives = device_->collectives();
    const std::size_t families = context_.setup.family_list.size();
    connected_.resize(families);
    for (std::size_t i = 0; collectives != nullptr && transport_ != nullptr && i < families; ++i) {
        const auto family = static_cast<graph::FamilyIndex>(i);
        if (const auto place = transport_->real_group(family)) {
            std::vector<std::byte> id;
            if (place->position == 0) {
                id = collectives->make_id();
            }
            transport_->broadcast(family, id);
            collectives->join(family, id, place->size, place->position);
            connected_[i] = true;
        }
    }
}

DeviceExecutor::~DeviceExecutor() {
    device_->release(context_.loss);
}

double DeviceExecutor::end_step() {
    KernelContext& c = context_;
    double sum = 0;
    const double none = 0;
    device_->finish();
    device_->copy_out(c.loss, &sum, sizeof sum);
    device_->copy_in(&none, c.loss, sizeof none);
    const double mean = c.loss_count > 0 ? sum / static_cast<double>(c.loss_count) : 0;
    c.loss_count = 0;
    ++c.step;
    return mean;
}

/// Number of a sample of the located micro-batch in the whole run.
std::uint64_t DeviceExecutor::sample_number(std::int64_t sample) const {
    const target::Layout& l = context_.setup.layout;
    const std::int64_t size = context_.setup.training.micro_batch_size;
    const std::int64_t in_batch = (micro_batch_ * l.data + context_.where.data) * size + sample;
    return static_cast<std::uint64_t>((context_.step - 1) * l.micro_batches * l.data * size +
                                      in_batch);
}

/// Dropout draws anew for every sample, layer and place in the layer, and the same again when a
/// layer is recomputed.
void DeviceExecutor::renew_dropout() {
    const program::Setup& setup = context_.setup;
    const std::int64_t elements = setup.sizes.sharded_tokens * setup.sizes.hidden;
    DropoutRule& rule = context_.hidden_dropout;
    rule.probability = static_cast<float>(setup.training.hidden_dropout);
    rule.key = random_word(random_word(seed(), static_cast<std::uint64_t>(layer_ + 1)), dropouts_);
    rule.first = setup.parallel.sequence ? context_.where.tensor * elements : 0;
    rule.samples = setup.training.micro_batch_size;
    rule.columns = setup.sizes.hidden;
    rule.first_sample = sample_number(0);
}

void DeviceExecutor::initialize(program::Buffer weight, const program::ParameterPart& part) {
    device_->use(program::Stream::compute);
    const StartRule rule{seed(), training_.start_deviation, context_.setup.model.layers};
    const View to = memory_.view(weight);
    std::vector<float> values(static_cast<std::size_t>(to.elements));
    fill_part(rule, part, values);
    upload(*device_, values, to);
    context_.on.round_to(memory_.dtype(weight), to);
}

void DeviceExecutor::initialize_master(program::Buffer master, program::Buffer weight) {
    device_->use(program::Stream::compute);
    context_.on.copy(memory_.view(weight), memory_.view(master));
}

void DeviceExecutor::load(program::Buffer buffer, program::Input input) {
    const target::Training& t = context_.setup.training;
    memory_.input(buffer) = input;
    std::vector<std::int64_t> ids(static_cast<std::size_t>(buffer.elements));
    // A label is the byte behind its token.
    const std::uint64_t places = text_.size() - static_cast<std::uint64_t>(t.sequence_length);
    for (std::int64_t sample = 0; sample < t.micro_batch_size; ++sample) {
        const std::uint64_t begin = random_word(seed(), sample_number(sample)) % places;
        for (std::int64_t position = 0; position < t.sequence_length; ++position) {
            const auto at = static_cast<std::size_t>(position * t.micro_batch_size + sample);
            const std::uint64_t place = begin + static_cast<std::uint64_t>(position) +
                                        (input == program::Input::labels ? 1 : 0);
            ids[at] = input == program::Input::positions ? position
                                                         : static_cast<std::int64_t>(text_[place]);
        }
    }
    device_->use(program::Stream::compute);
    device_->copy_in(ids.data(), memory_.view(buffer).data,
                     buffer.elements * size_of(graph::DType::int64));
}

program::Buffer DeviceExecutor::allocate(std::string_view name, graph::TensorRole role,
                                         graph::DType dtype, std::int64_t elements) {
    device_->use(program::Stream::compute);
    const bool zeros = role == graph::TensorRole::optimizer_state;
    return memory_.allocate(name, dtype, elements,
                            zeros ? Device::Start::zeros : Device::Start::undefined);
}

void DeviceExecutor::release(program::Buffer buffer) {
    device_->use(program::Stream::compute);
    memory_.release(buffer);
}

void DeviceExecutor::launch(program::Stream stream, const graph::Kernel& kernel,
                            std::span<const program::Buffer> reads,
                            std::span<const program::Buffer> writes) {
    if (drops_hidden_states(kernel)) {
        renew_dropout();
        ++dropouts_;
    }
    device_->use(stream);
    if (timing_ == Timing::none) {
        return run_kernel(context_, kernel, reads, writes);
    }
    device_->begin_timing();
    run_kernel(context_, kernel, reads, writes);
    kernel_ps_ = device_->end_timing();
}

/// The elements in the host's memory: as they lie, or room for a copy.
std::span<float> DeviceExecutor::host_values(View view, Staged& staged) const {
    const auto elements = static_cast<std::size_t>(view.elements);
    if (float* values = device_->on_host(view); values != nullptr || elements == 0) {
        return {values, elements};
    }
    staged.values.resize(elements);
    return staged.values;
}

void DeviceExecutor::collective(const graph::Communication& call, View in, View out,
                                graph::DType dtype) {
    Staged from;
    Staged to;
    const std::span<float> sent = host_values(in, from);
    const std::span<float> received = host_values(out, to);
    if (!from.values.empty()) {
        download(*device_, in, sent);
    }
    transport_->collective(call, sent, received);
    if (!to.values.empty()) {
        upload(*device_, received, out);
    }
    context_.on.round_to(dtype, out);
}

DeviceExecutor::Transfer DeviceExecutor::start(const graph::Communication& call, View in,
                                               View out) {
    Transfer transfer{0, std::make_unique<Staged>()};
    const bool sends = call.kind == CollectiveKind::send;
    const std::span<float> values = host_values(sends ? in : out, *transfer.staged);
    const bool staged = !transfer.staged->values.empty();
    if (sends && staged) {
        download(*device_, in, values);
    }
    if (!sends && staged) {
        transfer.staged->to = out;
    }
    transfer.ticket =
        sends ? transport_->start_send(call, values) : transport_->start_recv(call, values);
    return transfer;
}

void DeviceExecutor::communicate(program::Stream stream, const graph::Communication& call,
                                 program::Buffer in, program::Buffer out) {
    if (transport_ == nullptr) {
        throw SystemError{ErrorCode::internal, "a rank without peers communicates"};
    }
    device_->use(stream);
    const View from = in.exists() ? memory_.view(in) : View{};
    const View to = out.exists() ? memory_.view(out) : View{};
    if (connected_[call.family]) {
        device_->collectives()->queue(call, from, to);
    } else if (call.kind == CollectiveKind::send || call.kind == CollectiveKind::recv) {
        started_[static_cast<std::size_t>(stream)].push_back(start(call, from, to));
    } else {
        collective(call, from, to, memory_.dtype(out));
    }
}

void DeviceExecutor::begin_batch() {
    if (device_->collectives() != nullptr) {
        device_->collectives()->begin_batch();
    }
}

void DeviceExecutor::end_batch() {
    if (device_->collectives() != nullptr) {
        device_->collectives()->end_batch();
    }
}

program::Event DeviceExecutor::record(program::Stream stream) {
    auto& started = started_[static_cast<std::size_t>(stream)];
    if (!started.empty()) {
        of_event_.emplace(next_event_, std::exchange(started, {}));
    }
    device_->use(stream);
    device_->record(next_event_);
    return {next_event_++};
}

void DeviceExecutor::wait(program::Stream stream, program::Event event) {
    device_->use(stream);
    const auto found = of_event_.find(event.id);
    if (found != of_event_.end()) {
        for (const Transfer& transfer : found->second) {
            transport_->finish(transfer.ticket);
            if (!transfer.staged->to.empty()) {
                upload(*device_, transfer.staged->values, transfer.staged->to);
            }
        }
        of_event_.erase(found);
    }
    device_->wait(event.id);
}

void DeviceExecutor::enter(graph::Phase phase) {
    if (phase == graph::Phase::recompute) {
        dropouts_ = 0;
    }
}

void DeviceExecutor::locate(std::int64_t micro_batch, std::int64_t layer) {
    micro_batch_ = micro_batch;
    layer_ = layer;
    dropouts_ = 0;
}

std::unique_ptr<RankExecutor> make_rank_executor(const program::Setup& setup, std::int64_t rank,
                                                 const Training& training,
                                                 std::span<const std::byte> text,
                                                 Transport* transport, const DeviceUse& use) {
    return std::make_unique<DeviceExecutor>(open_device(training.device, use.number, use.alone),
                                            use.timing, setup, rank, training, text, transport);
}

}  // namespace prismllm::device
