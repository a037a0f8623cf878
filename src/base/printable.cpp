// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/printable.hpp"

#include <fmt/format.h>

namespace prismllm {

std::string printable(std::string_view text, Newlines newlines) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const auto before = i == 0 ? 0U : static_cast<unsigned char>(text[i - 1]);
        // In UTF-8 a byte of this range follows others above 0x7f, and 0xc2 in a control character.
        const bool upper = byte >= 0x80 && byte < 0xa0 && (before < 0x80 || before == 0xc2);
        const bool lower = byte < 0x20 || byte == 0x7f;
        if ((lower && !(byte == '\n' && newlines == Newlines::kept)) || upper) {
            if (upper && before == 0xc2) {
                result.pop_back();
            }
            result += fmt::format("\\x{:02x}", byte);
        } else {
            result += text[i];
        }
    }
    return result;
}

}  // namespace prismllm
