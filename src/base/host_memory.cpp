// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/host_memory.hpp"

#include <fstream>
#include <string>
#include <string_view>

namespace prismllm {

std::optional<std::int64_t> available_memory_bytes() {
    std::ifstream file{"/proc/meminfo"};
    for (std::string line; std::getline(file, line);) {
        constexpr std::string_view name = "MemAvailable:";
        if (line.starts_with(name)) {
            return std::stoll(line.substr(name.size())) * 1024;  // "  123456 kB"
        }
    }
    return std::nullopt;
}

}  // namespace prismllm
