// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/log.hpp
/// Talk to the person at the terminal: to stderr always, stdout belongs to results.
/// Two functions by meaning: log_root for what all host processes pass (said once, by host rank
/// 0), log_here for what one process passes (prefixed by its host rank). One line a message.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "prismllm/base/error.hpp"
#include "prismllm/base/id.hpp"

namespace prismllm {

enum class LogLevel : std::uint8_t { trace, debug, info, warning, error, silent };

/// Levels from text such as "info,placement:debug": one for all, then exceptions by channel. A
/// wrong channel is answered with the list of them.
/// Errors (usage): an unknown level, an unknown channel.
[[nodiscard]] Status set_log_levels(std::string_view text);

/// This process among the processes of the job; 0 until it is set. Call it once after MPI starts.
void set_log_host_rank(HostRank host_rank);

/// Where lines go; nullptr is stderr. For tests. Not thread-safe.
void set_log_sink(void (*sink)(std::string_view line));

/// Whether a message of this level and channel would be printed.
[[nodiscard]] bool log_enabled(LogLevel level, std::string_view channel);

namespace detail {
enum class LogWho : std::uint8_t { root, here };
[[nodiscard]] bool log_wanted(LogLevel level, std::string_view channel, LogWho who);
void log_line(LogLevel level, std::string_view channel, LogWho who, std::string_view message);
}  // namespace detail

/// Say it once for the whole job.
/// @thread_safe
template <class... Args>
void log_root(LogLevel level, std::string_view channel, fmt::format_string<Args...> text,
              Args&&... args) {
    if (detail::log_wanted(level, channel, detail::LogWho::root)) {
        detail::log_line(level, channel, detail::LogWho::root,
                         fmt::format(text, std::forward<Args>(args)...));
    }
}

/// Say it from this process.
/// @thread_safe
template <class... Args>
void log_here(LogLevel level, std::string_view channel, fmt::format_string<Args...> text,
              Args&&... args) {
    if (detail::log_wanted(level, channel, detail::LogWho::here)) {
        detail::log_line(level, channel, detail::LogWho::here,
                         fmt::format(text, std::forward<Args>(args)...));
    }
}

}  // namespace prismllm
