// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "hidden_dropout.hpp"

#include "prismllm/program/kernels.hpp"

namespace prismllm::program {

bool drops_hidden(const Context& context) {
    return context.setup.training.hidden_dropout > 0;
}

Buffer allocate_mask(const Context& context) {
    if (!drops_hidden(context)) {
        return {};
    }
    return context.allocate("hidden dropout mask", graph::DType::uint8,
                            context.sizes().sharded_tokens * context.sizes().hidden);
}

Buffer undropped(const Context& context, Buffer grad, Buffer mask) {
    if (!mask.exists()) {
        return grad;
    }
    const Buffer out = context.activation("dropout gradient", grad.elements);
    context.compute(
        dropout(Dropped::hidden_states, context.setup.activation, grad.elements, DropoutMask::read),
        {grad, mask}, {out});
    context.release({mask});
    return out;
}

}  // namespace prismllm::program
