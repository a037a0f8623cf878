// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// The installed tree is found from the program's own place, so that it can be moved.
#include <filesystem>

#include "commands.hpp"

namespace prismllm::cli {

std::string file_at_hand(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::path{path}.is_absolute() || fs::exists(path, error)) {
        return path;
    }
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) {
        return path;
    }
    const fs::path share = (program.parent_path() / PRISMLLM_SHARE_FROM_PROGRAM).lexically_normal();
    return fs::is_regular_file(share / path, error) ? (share / path).string() : path;
}

}  // namespace prismllm::cli
