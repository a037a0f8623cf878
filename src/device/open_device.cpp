// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "open_device.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "prismllm/device/rank_executor.hpp"

#include "host_device.hpp"
#include "plugin.hpp"
#include "streamed_device.hpp"

namespace prismllm::device {
namespace {

constexpr const char* library_name = "libprismllm_cuda.so";

/// Beside the library, or the program, that this code is in; where an installation keeps libraries;
/// then wherever the system looks.
std::vector<std::string> places() {
    std::vector<std::string> all;
    Dl_info info{};
    if (::dladdr(reinterpret_cast<const void*>(&open_device), &info) != 0) {
        const std::filesystem::path folder =
            std::filesystem::absolute(info.dli_fname).parent_path();
        all.push_back(folder / library_name);
        all.push_back(folder / "../lib" / library_name);
        all.push_back(folder / "../lib64" / library_name);
    }
    all.emplace_back(library_name);
    return all;
}

tl::unexpected<Error> unusable(const std::string& reason) {
    return fail(ErrorCode::resources,
                "native.device is \"cuda\", and no GPU can be used ({}). Run where there is one, "
                "with a PrismLLM built with PRISMLLM_ENABLE_CUDA=ON, or on the host: --set "
                "native.device=host.",
                reason);
}

Expected<const Plugin*> load() {
    std::string reason = std::string{"there is no "} + library_name;
    for (const std::string& place : places()) {
        std::error_code ignored;
        const bool by_path = place.find('/') != std::string::npos;
        if (by_path && !std::filesystem::exists(place, ignored)) {
            continue;
        }
        // Never closed: the libraries behind it do not bear that.
        void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            reason = by_path ? ::dlerror() : reason;
            continue;
        }
        const auto entry = reinterpret_cast<PluginEntry>(::dlsym(library, plugin_entry_name));
        if (entry == nullptr || entry()->version != plugin_version) {
            return unusable(place + " belongs to another version");
        }
        return entry();
    }
    return unusable(reason);
}

const Expected<const Plugin*>& plugin() {
    static const Expected<const Plugin*> loaded = load();
    return loaded;
}

}  // namespace

Expected<int> count_devices(target::RankDevice kind) {
    if (kind == target::RankDevice::host) {
        return 1;
    }
    if (!plugin()) {
        return tl::unexpected{plugin().error()};
    }
    const char* reason = "";
    const int count = (*plugin())->count_devices(&reason);
    return count > 0 ? Expected<int>{count} : unusable(reason);
}

std::string name_device(target::RankDevice kind, int number) {
    const Expected<int> count = count_devices(kind);
    return kind == target::RankDevice::host || !count ? std::string{}
                                                      : (*plugin())->name_device(number % *count);
}

std::unique_ptr<Device> open_device(target::RankDevice kind, int number, bool communicates) {
    if (kind == target::RankDevice::host) {
        return make_host_device();
    }
    const Expected<int> count = count_devices(kind);
    if (!count) {
        throw SystemError{count.error().code, count.error().message};
    }
    std::unique_ptr<Driver> driver{(*plugin())->make_driver(number % *count)};
    std::unique_ptr<StreamOperations> operations{(*plugin())->make_operations()};
    std::unique_ptr<StreamCollectives> collectives;
    if (communicates && (*plugin())->make_collectives != nullptr) {
        collectives.reset((*plugin())->make_collectives());
    }
    return std::make_unique<StreamedDevice>(std::move(driver), std::move(operations),
                                            std::move(collectives));
}

}  // namespace prismllm::device
