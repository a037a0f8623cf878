// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/host_name.hpp"

#include <array>

#include <unistd.h>

namespace prismllm {

std::string host_name() {
    // POSIX leaves a cut name without its end: the last byte stays 0.
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown host";
}

}  // namespace prismllm
