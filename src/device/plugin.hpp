// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// What a plug-in library for a kind of device exports: prismllm_device_plugin().
#pragma once

#include <cstdint>
#include <string>

#include "driver.hpp"
#include "stream_collectives.hpp"
#include "stream_operations.hpp"

namespace prismllm::device {

/// Changes with every class that both sides know.
inline constexpr std::uint32_t plugin_version = 2;

struct Plugin {
    std::uint32_t version = plugin_version;
    /// GPUs that can be used; 0 and a reason where there are none. The text stays.
    int (*count_devices)(const char** reason) = nullptr;
    /// Of the device with this number, which stays this thread's. The caller deletes them, the
    /// driver last. They throw as Driver says.
    Driver* (*make_driver)(int number) = nullptr;
    StreamOperations* (*make_operations)() = nullptr;
    /// Null where the plug-in was built without.
    StreamCollectives* (*make_collectives)() = nullptr;
    /// Text that no other GPU has, on any machine.
    std::string (*name_device)(int number) = nullptr;
};
using PluginEntry = const Plugin* (*)();
inline constexpr const char* plugin_entry_name = "prismllm_device_plugin";

}  // namespace prismllm::device
