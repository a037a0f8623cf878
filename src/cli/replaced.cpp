// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "prismllm/base/log.hpp"
#include "prismllm/store/result_file.hpp"

#include "commands.hpp"

namespace prismllm::cli {

Replaced::Replaced(const std::string& path, const std::string& deck_sha256) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return;
    }
    if (const auto old = store::provenance_of(path)) {
        told_ = old->deck_sha256 == deck_sha256
                    ? fmt::format("{} replaces one of {} of the same deck", path, old->date)
                    : fmt::format(
                          "{} replaces one of {} of another deck or other settings; --output keeps "
                          "both",
                          path, old->date);
    }
}

void Replaced::tell() const {
    if (!told_.empty()) {
        log_root(LogLevel::info, "prismllm", "{}", told_);
    }
}

}  // namespace prismllm::cli
