// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "accumulation.hpp"

#include "prismllm/program/kernels.hpp"

namespace prismllm::program {

Buffer allocate_gradient(const Context& context, const Parameter& parameter,
                         std::string_view name) {
    return context.allocate(name, context.setup.activation, parameter.weight.elements,
                            graph::TensorRole::workspace);
}

void add_to_main_gradient(const Context& context, const Parameter& parameter, Buffer gradient) {
    context.compute(accumulate(context.setup.activation, context.setup.gradient, gradient.elements),
                    {gradient, parameter.gradient}, {parameter.gradient});
    context.release({gradient});
}

}  // namespace prismllm::program
