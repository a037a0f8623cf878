// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Owning handles of HDF5 objects, and silence: HDF5 prints its error stack by itself unless
/// told not to.
#pragma once

#ifndef H5_USE_110_API
#define H5_USE_110_API
#endif
#include <string>
#include <utility>

#include <hdf5.h>

namespace prismllm::store {

/// Owns one HDF5 identifier of any kind; H5Idec_ref is the close function of all of them.
/// Where the outcome of closing matters (files), close() tells it.
class Handle {
public:
    Handle() = default;
    explicit Handle(hid_t id) : id_{id} {}
    Handle(Handle&& other) noexcept : id_{std::exchange(other.id_, H5I_INVALID_HID)} {}
    Handle& operator=(Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() { (void)close(); }

    [[nodiscard]] hid_t id() const { return id_; }
    [[nodiscard]] bool is_open() const { return id_ >= 0; }
    /// @return false when HDF5 reports a failure; the handle is empty either way.
    bool close() {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id < 0 || H5Idec_ref(id) >= 0;
    }

    /// Give the identifier up without closing it.
    hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

private:
    hid_t id_ = H5I_INVALID_HID;
};

/// While it lives, HDF5 prints nothing; the previous setting comes back after it.
class QuietHdf5 {
public:
    QuietHdf5();
    ~QuietHdf5();
    QuietHdf5(const QuietHdf5&) = delete;
    QuietHdf5& operator=(const QuietHdf5&) = delete;

private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

/// The innermost message of HDF5's error stack, where the reason stands ("No space left on
/// device", "truncated file: ..."); "unknown" if there is none.
[[nodiscard]] std::string hdf5_reason();

}  // namespace prismllm::store
