// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/log.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <optional>

#include <fmt/ranges.h>
#include <unistd.h>

#include "prismllm/base/printable.hpp"

namespace prismllm {
namespace {

struct LevelName {
    std::string_view name;
    char letter;
    std::string_view color;
};
constexpr std::array<LevelName, 6> level_names{{{"trace", 'T', "\x1b[2m"},
                                                {"debug", 'D', "\x1b[2m"},
                                                {"info", 'I', ""},
                                                {"warning", 'W', "\x1b[33m"},
                                                {"error", 'E', "\x1b[31m"},
                                                {"silent", 'S', ""}}};

constexpr std::array<std::string_view, 5> channels{"prismllm", "native", "placement", "report",
                                                   "watchdog"};

bool is_channel(std::string_view name) {
    return std::find(channels.begin(), channels.end(), name) != channels.end();
}

struct Logger {
    std::mutex mutex;
    LogLevel level = LogLevel::info;
    std::map<std::string, LogLevel, std::less<>> channel_levels;
    HostRank host_rank{0};
    void (*sink)(std::string_view line) = nullptr;
    bool colors = false;
};

bool wants_colors() {
    const char* no_color = std::getenv("NO_COLOR");
    return isatty(STDERR_FILENO) == 1 && (no_color == nullptr || *no_color == '\0');
}

Logger& logger() {
    static Logger instance = {{}, LogLevel::info, {}, HostRank{0}, nullptr, wants_colors()};
    return instance;
}

std::optional<LogLevel> level_from(std::string_view name) {
    for (std::size_t i = 0; i < level_names.size(); ++i) {
        if (level_names[i].name == name) {
            return static_cast<LogLevel>(i);
        }
    }
    return std::nullopt;
}

LogLevel threshold(const Logger& log, std::string_view channel) {
    const auto found = log.channel_levels.find(channel);
    return found == log.channel_levels.end() ? log.level : found->second;
}

}  // namespace

Status set_log_levels(std::string_view text) {
    LogLevel level = LogLevel::info;
    std::map<std::string, LogLevel, std::less<>> channel_levels;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view part = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        const std::size_t colon = part.find(':');
        const std::string_view name =
            colon == std::string_view::npos ? part : part.substr(colon + 1);
        const std::optional<LogLevel> parsed = level_from(name);
        if (!parsed) {
            return fail(ErrorCode::usage,
                        "log level '{}' is not valid (a level or channel:level is expected). "
                        "Use trace, debug, info, warning, error or silent",
                        part);
        }
        if (colon == std::string_view::npos) {
            level = *parsed;
            continue;
        }
        const std::string_view channel = part.substr(0, colon);
        if (!is_channel(channel)) {
            return fail(ErrorCode::usage,
                        "log channel '{}' is unknown (nothing would be said there). Use {}",
                        channel, fmt::join(channels, ", "));
        }
        channel_levels.insert_or_assign(std::string{channel}, *parsed);
    }
    const std::scoped_lock lock{logger().mutex};
    logger().level = level;
    logger().channel_levels = std::move(channel_levels);
    return {};
}

void set_log_host_rank(HostRank host_rank) {
    const std::scoped_lock lock{logger().mutex};
    logger().host_rank = host_rank;
}

void set_log_sink(void (*sink)(std::string_view line)) {
    const std::scoped_lock lock{logger().mutex};
    logger().sink = sink;
}

bool log_enabled(LogLevel level, std::string_view channel) {
    const std::scoped_lock lock{logger().mutex};
    return level != LogLevel::silent && level >= threshold(logger(), channel);
}

namespace detail {

bool log_wanted(LogLevel level, std::string_view channel, LogWho who) {
    if (!log_enabled(level, channel)) {
        return false;
    }
    const std::scoped_lock lock{logger().mutex};
    return who == LogWho::here || logger().host_rank == HostRank{0};
}

void log_line(LogLevel level, std::string_view channel, LogWho who, std::string_view message) {
    PRISMLLM_ASSERT(is_channel(channel), "who speaks can be asked for");
    Logger& log = logger();
    const std::scoped_lock lock{log.mutex};
    const LevelName& name = level_names[static_cast<std::size_t>(level)];
    const std::string host =
        who == LogWho::here ? fmt::format(" h{:04}", log.host_rank.value()) : std::string{};
    const std::string line =
        fmt::format("{} {}{}  {}", name.letter, channel, host, printable(message, Newlines::kept));
    if (log.sink != nullptr) {
        log.sink(line);
        return;
    }
    const bool color = log.colors && !name.color.empty();
    // One write a line, so that lines of several processes do not mix.
    const std::string bytes = color ? fmt::format("{}{}\x1b[0m\n", name.color, line) : line + "\n";
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
}

}  // namespace detail
}  // namespace prismllm
