// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// @file prismllm/base/error.hpp
/// How trouble is told. Trouble that input can cause is a value (Expected, Status); a broken
/// outside world (MPI, HDF5, the operating system) is a SystemError; our own mistakes are
/// LogicErrors raised by PRISMLLM_ASSERT. Message form: `<problem> (<why>). <what to do>`.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <tl/expected.hpp>

namespace prismllm {

/// Values are the process exit codes documented in docs/reference/exit_codes.md.
enum class ErrorCode : int {
    internal = 1,      ///< our fault
    usage = 2,         ///< wrong command line
    bad_deck = 3,      ///< deck rejected
    bad_input = 4,     ///< graph, trace, calibration or result file rejected
    resources = 5,     ///< processes, memory or disk are not what the job needs
    mismatch = 6,      ///< a comparison found a difference; reserved, no command compares yet
    system = 7,        ///< MPI, HDF5 or operating system failure
    job_failed = 8,    ///< the job itself fails: a hang, mismatched collectives, divergence
    interrupted = 75,  ///< stopped at a step border; can be resumed
};

/// Short name of a code for messages and JSON, e.g. "bad_deck".
[[nodiscard]] std::string_view name_of(ErrorCode code);

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;
};

template <class T>
using Expected = tl::expected<T, Error>;
using Status = Expected<void>;

/// Build the error arm of an Expected: `return fail(ErrorCode::bad_deck, "x {} ...", x);`
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> text,
                                         Args&&... args) {
    return tl::unexpected<Error>{Error{code, fmt::format(text, std::forward<Args>(args)...)}};
}

/// Put "<where>: " before the message of an error on its way up.
[[nodiscard]] Error with_context(Error error, std::string_view where);

/// The outside world broke. Only the guarded main catches it; the whole job ends.
class SystemError : public std::runtime_error {
public:
    SystemError(ErrorCode code, const std::string& message)
        : std::runtime_error{message}, code_{code} {}
    [[nodiscard]] ErrorCode code() const { return code_; }

private:
    ErrorCode code_;
};

/// A broken precondition or invariant of our own: a bug report, never caused by user input.
class LogicError : public std::logic_error {
public:
    using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* condition, const char* why, const char* file,
                                   int line);
}

}  // namespace prismllm

#if defined(PRISMLLM_CHECKS)
#define PRISMLLM_ASSERT(condition, why) \
    ((condition) ? void(0)              \
                 : ::prismllm::detail::assertion_failed(#condition, why, __FILE__, __LINE__))
#else
#define PRISMLLM_ASSERT(condition, why) void(sizeof((condition) ? 1 : 0))
#endif
