// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/base/error.hpp"

namespace prismllm {

std::string_view name_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::internal:
            return "internal";
        case ErrorCode::usage:
            return "usage";
        case ErrorCode::bad_deck:
            return "bad_deck";
        case ErrorCode::bad_input:
            return "bad_input";
        case ErrorCode::resources:
            return "resources";
        case ErrorCode::mismatch:
            return "mismatch";
        case ErrorCode::system:
            return "system";
        case ErrorCode::job_failed:
            return "job_failed";
        case ErrorCode::interrupted:
            return "interrupted";
    }
    return "unknown";
}

Error with_context(Error error, std::string_view where) {
    error.message = fmt::format("{}: {}", where, error.message);
    return error;
}

namespace detail {

void assertion_failed(const char* condition, const char* why, const char* file, int line) {
    throw LogicError{fmt::format("{}:{}: broken invariant `{}` ({}). Please report this.", file,
                                 line, condition, why)};
}

}  // namespace detail
}  // namespace prismllm
