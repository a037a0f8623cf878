// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// C++ element types and their HDF5 counterparts. Files are little-endian on every machine.
#pragma once

#include <concepts>
#include <cstdint>

#include "hdf5_handle.hpp"

namespace prismllm::store {

template <class T>
concept Element = std::same_as<T, std::uint8_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::uint16_t> || std::same_as<T, std::int32_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::int64_t> || std::same_as<T, double>;

struct ElementType {
    hid_t file = H5I_INVALID_HID;    ///< predefined, not owned
    hid_t memory = H5I_INVALID_HID;  ///< predefined, not owned
    const char* name = "";
    std::size_t size = 0;
};

template <Element T>
[[nodiscard]] ElementType element_type() {
    if constexpr (std::same_as<T, std::uint8_t>) {
        return {H5T_STD_U8LE, H5T_NATIVE_UINT8, "uint8", sizeof(T)};
    } else if constexpr (std::same_as<T, std::int16_t>) {
        return {H5T_STD_I16LE, H5T_NATIVE_INT16, "int16", sizeof(T)};
    } else if constexpr (std::same_as<T, std::uint16_t>) {
        return {H5T_STD_U16LE, H5T_NATIVE_UINT16, "uint16", sizeof(T)};
    } else if constexpr (std::same_as<T, std::int32_t>) {
        return {H5T_STD_I32LE, H5T_NATIVE_INT32, "int32", sizeof(T)};
    } else if constexpr (std::same_as<T, std::uint32_t>) {
        return {H5T_STD_U32LE, H5T_NATIVE_UINT32, "uint32", sizeof(T)};
    } else if constexpr (std::same_as<T, std::int64_t>) {
        return {H5T_STD_I64LE, H5T_NATIVE_INT64, "int64", sizeof(T)};
    } else {
        return {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, "float64", sizeof(T)};
    }
}

}  // namespace prismllm::store
