// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/text_file.hpp"

#include <fstream>
#include <iterator>
#include <system_error>

namespace prismllm {

namespace fs = std::filesystem;

Expected<std::string> read_text_file(const fs::path& path, std::uintmax_t most_bytes) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (error || !fs::exists(status)) {
        return fail(ErrorCode::bad_deck, "{}",
                    error ? error.message() : std::string{"No such file or directory"});
    }
    if (!fs::is_regular_file(status)) {
        return fail(ErrorCode::bad_deck, "{}",
                    fs::is_directory(status) ? "it is a directory" : "it is not a regular file");
    }
    const std::uintmax_t size = fs::file_size(path, error);
    if (error || size > most_bytes) {
        return fail(ErrorCode::bad_deck, "it has {} bytes, and at most {} are read", size,
                    most_bytes);
    }
    std::ifstream stream{path, std::ios::binary};
    if (!stream) {
        return fail(ErrorCode::bad_deck, "it cannot be opened: permission denied");
    }
    std::string text{std::istreambuf_iterator<char>{stream}, std::istreambuf_iterator<char>{}};
    if (stream.bad()) {
        return fail(ErrorCode::bad_deck, "reading it failed");
    }
    return text;
}

}  // namespace prismllm
