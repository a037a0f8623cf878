// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "prismllm/store/result_file.hpp"

#include "commands.hpp"

namespace prismllm::cli {
namespace {

std::string& remembered() {
    static std::string line;
    return line;
}

}  // namespace

void remember_command_line(int argc, const char* const* argv) {
    for (int i = 0; i < argc; ++i) {
        remembered() += (i == 0 ? "" : " ");
        remembered() += argv[i];
    }
}

const std::string& command_line() {
    return remembered();
}

Status print(const std::string& text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) {
        return fail(ErrorCode::system,
                    "cannot write to standard output ({}). Check the disk or the pipe behind it.",
                    std::strerror(errno));
    }
    return {};
}

Status guard_output(const std::string& path, const std::vector<std::string>& inputs, bool text) {
    std::error_code ignored;
    for (const std::string& input : inputs) {
        if (path == input) {
            return fail(ErrorCode::usage,
                        "{} is named twice (one would replace the other). Name another file.",
                        path);
        }
    }
    if (!std::filesystem::is_regular_file(path, ignored)) {
        return {};
    }
    for (const std::string& input : inputs) {
        if (std::filesystem::equivalent(path, input, ignored)) {
            return fail(ErrorCode::usage,
                        "output {} is the input (it would be lost). Name another file.", path);
        }
    }
    const bool ours = store::format_of(path).has_value();
    if (ours == text && std::filesystem::file_size(path, ignored) > 0) {
        return fail(ErrorCode::usage,
                    "{} exists and is {} (it would be lost). Name another file or remove it.", path,
                    text ? "a graph or result" : "no graph or result of this program");
    }
    return {};
}

Status write_text(const std::string& path, const std::string& text) {
    // Devices and pipes are written to; another file must not take their name.
    std::error_code ignored;
    const bool beside =
        !std::filesystem::exists(path, ignored) || std::filesystem::is_regular_file(path, ignored);
    const std::string unfinished = beside ? path + ".tmp" : path;
    std::FILE* file = std::fopen(unfinished.c_str(), "wb");
    if (file == nullptr) {
        return fail(ErrorCode::system, "cannot create {} ({}). Check the folder and its rights.",
                    unfinished, std::strerror(errno));
    }
    bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    good = std::fflush(file) == 0 && good;
    int error = errno;
    good = std::fclose(file) == 0 && good;
    if (good && beside && std::rename(unfinished.c_str(), path.c_str()) != 0) {
        good = false;
        error = errno;
    }
    if (!good) {
        if (beside) {
            std::remove(unfinished.c_str());
        }
        const bool no_room = error == ENOSPC || error == EDQUOT || error == EFBIG;
        return fail(no_room ? ErrorCode::resources : ErrorCode::system,
                    "cannot write {} ({}). Free space or choose another place.", path,
                    std::strerror(error));
    }
    return {};
}

}  // namespace prismllm::cli
