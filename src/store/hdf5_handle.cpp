// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "hdf5_handle.hpp"

namespace prismllm::store {
namespace {

// H5E_WALK_UPWARD starts at the innermost call. Its description is kept unless a later one
// quotes the operating system.
herr_t keep_reason(unsigned depth, const H5E_error2_t* error, void* text) noexcept {
    auto& reason = *static_cast<std::string*>(text);
    const std::string description = error->desc == nullptr ? "" : error->desc;
    const std::string marker = "error message = '";
    const auto at = description.find(marker);
    if (at != std::string::npos) {
        const auto start = at + marker.size();
        reason = description.substr(start, description.find('\'', start) - start);
        return 1;  // stops the walk
    }
    if (depth == 0) {
        reason = description;
    }
    return 0;
}

}  // namespace

QuietHdf5::QuietHdf5() {
    // Handles close themselves. All that is left at the end of a program is what HDF5 itself loses
    // in damaged files, and it would complain of that on standard error. No effect after the
    // first call of HDF5.
    (void)H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

std::string hdf5_reason() {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, &reason);
    return reason.empty() ? "unknown" : reason;
}

}  // namespace prismllm::store
