// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/placement/topology.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <hwloc.h>

namespace prismllm::placement {
namespace {

struct FreeBitmap {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, FreeBitmap>;

Bitmap empty_bitmap() {
    Bitmap bitmap{hwloc_bitmap_alloc()};
    if (bitmap == nullptr) {
        throw SystemError{ErrorCode::resources, "hwloc cannot allocate a set (out of memory)"};
    }
    return bitmap;
}

std::string list_of(hwloc_const_bitmap_t bitmap) {
    std::string text(static_cast<std::size_t>(hwloc_bitmap_list_snprintf(nullptr, 0, bitmap)), ' ');
    hwloc_bitmap_list_snprintf(text.data(), text.size() + 1, bitmap);
    return text;
}

std::string counted(int count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

struct Topology::Impl {
    hwloc_topology_t machine = nullptr;
    Bitmap allowed = empty_bitmap();
    hwloc_obj_type_t core_type = HWLOC_OBJ_CORE;

    Impl() {
        if (hwloc_topology_init(&machine) != 0) {
            throw SystemError{ErrorCode::system, "hwloc does not start (out of memory?)"};
        }
        hwloc_topology_set_io_types_filter(machine, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);  // GPUs
        // The bus is enough. These would start drivers, which takes seconds and device memory.
        for (const char* driver : {"cuda", "nvml", "rsmi", "levelzero", "opencl", "gl"}) {
            hwloc_topology_set_components(machine, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                          driver);
        }
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;
    ~Impl() { hwloc_topology_destroy(machine); }

    /// @return false when hwloc cannot load what the topology was set to.
    bool load() {
        if (hwloc_topology_load(machine) != 0) {
            return false;
        }
        hwloc_bitmap_copy(allowed.get(), hwloc_topology_get_topology_cpuset(machine));
        // Some virtual machines show hardware threads only.
        if (count(HWLOC_OBJ_CORE) == 0) {
            core_type = HWLOC_OBJ_PU;
        }
        return true;
    }
    [[nodiscard]] int count(hwloc_obj_type_t type) const {
        return hwloc_get_nbobjs_by_type(machine, type);
    }
    /// Next allowed core behind this one, or the first; null past the last.
    [[nodiscard]] hwloc_obj_t allowed_core(hwloc_obj_t core) const {
        while ((core = hwloc_get_next_obj_by_type(machine, core_type, core)) != nullptr) {
            if (hwloc_bitmap_intersects(core->cpuset, allowed.get()) != 0) {
                break;
            }
        }
        return core;
    }
    /// Number of the object of this type around the core, 0 where hwloc knows of none.
    [[nodiscard]] int number_around(hwloc_obj_t core, hwloc_obj_type_t type) const {
        hwloc_obj_t object = nullptr;
        while ((object = hwloc_get_next_obj_by_type(machine, type, object)) != nullptr) {
            if (hwloc_bitmap_isincluded(core->cpuset, object->cpuset) != 0) {
                return static_cast<int>(object->logical_index);
            }
        }
        return 0;
    }
};

Topology::Topology(std::unique_ptr<Impl> impl) : impl_{std::move(impl)} {}
Topology::~Topology() = default;
Topology::Topology(Topology&& other) noexcept = default;
Topology& Topology::operator=(Topology&& other) noexcept = default;

Topology Topology::live() {
    auto impl = std::make_unique<Impl>();
    if (!impl->load()) {
        throw SystemError{ErrorCode::system,
                          "hwloc cannot look at this machine (is /sys mounted?)"};
    }
    const Bitmap bound = empty_bitmap();
    if (hwloc_get_cpubind(impl->machine, bound.get(), HWLOC_CPUBIND_PROCESS) == 0) {
        hwloc_bitmap_and(impl->allowed.get(), impl->allowed.get(), bound.get());
    }
    return Topology{std::move(impl)};
}

Expected<Topology> Topology::synthetic(const std::string& description) {
    auto impl = std::make_unique<Impl>();
    if (hwloc_topology_set_synthetic(impl->machine, description.c_str()) != 0 || !impl->load()) {
        return fail(ErrorCode::bad_input,
                    "synthetic topology \"{}\" cannot be built (hwloc rejects it). Write it like "
                    "\"package:2 core:4 pu:2\".",
                    description);
    }
    return Topology{std::move(impl)};
}

Expected<Topology> Topology::from_xml(const std::string& xml) {
    auto impl = std::make_unique<Impl>();
    // hwloc wants the length with the terminating zero.
    const int length = static_cast<int>(xml.size()) + 1;
    if (hwloc_topology_set_xmlbuffer(impl->machine, xml.c_str(), length) != 0 || !impl->load()) {
        return fail(ErrorCode::bad_input,
                    "topology XML of {} bytes cannot be read (hwloc rejects it). Export it with "
                    "lstopo machine.xml.",
                    xml.size());
    }
    return Topology{std::move(impl)};
}

Status Topology::allow_only(const std::string& pus) {
    const Bitmap wanted = empty_bitmap();
    if (hwloc_bitmap_list_sscanf(wanted.get(), pus.c_str()) != 0) {
        return fail(ErrorCode::bad_input,
                    "\"{}\" is not a list of hardware threads (expected numbers and ranges). "
                    "Write it like \"0-3,8\".",
                    pus);
    }
    hwloc_bitmap_and(wanted.get(), wanted.get(),
                     hwloc_topology_get_topology_cpuset(impl_->machine));
    if (hwloc_bitmap_iszero(wanted.get()) != 0) {
        return fail(ErrorCode::bad_input,
                    "\"{}\" names no hardware thread of this machine (it has {}). Name one.", pus,
                    list_of(hwloc_topology_get_topology_cpuset(impl_->machine)));
    }
    hwloc_bitmap_copy(impl_->allowed.get(), wanted.get());
    return {};
}

int Topology::cores() const {
    return impl_->count(impl_->core_type);
}

int Topology::allowed_cores() const {
    int count = 0;
    for (hwloc_obj_t core = nullptr; (core = impl_->allowed_core(core)) != nullptr;) {
        ++count;
    }
    return count;
}

std::string Topology::allowed() const {
    return list_of(impl_->allowed.get());
}

std::vector<Core> Topology::allowed_core_list() const {
    std::vector<Core> cores;
    const Bitmap usable = empty_bitmap();
    for (hwloc_obj_t core = nullptr; (core = impl_->allowed_core(core)) != nullptr;) {
        hwloc_bitmap_and(usable.get(), core->cpuset, impl_->allowed.get());
        cores.push_back({static_cast<int>(core->logical_index),
                         impl_->number_around(core, HWLOC_OBJ_PACKAGE),
                         impl_->number_around(core, HWLOC_OBJ_NUMANODE), list_of(usable.get())});
    }
    return cores;
}

std::vector<Gpu> Topology::gpus() const {
    std::vector<Gpu> gpus;
    hwloc_obj_t device = nullptr;
    while ((device = hwloc_get_next_pcidev(impl_->machine, device)) != nullptr) {
        const auto& pci = device->attr->pcidev;
        constexpr unsigned display = 0x03;  // base class: VGA, XGA, 3D controllers
        constexpr unsigned amd = 0x1002, nvidia = 0x10de;
        if (pci.class_id >> 8U != display || (pci.vendor_id != amd && pci.vendor_id != nvidia)) {
            continue;
        }
        const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(impl_->machine, device);
        const int numa = hwloc_bitmap_first(near->nodeset);
        const hwloc_obj_t node = numa < 0 ? nullptr
                                          : hwloc_get_numanode_obj_by_os_index(
                                                impl_->machine, static_cast<unsigned>(numa));
        gpus.push_back(
            {static_cast<int>(gpus.size()),
             node == nullptr ? 0 : static_cast<int>(node->logical_index),
             fmt::format("{:04x}:{:02x}:{:02x}.{:x}", pci.domain, pci.bus, pci.dev, pci.func)});
    }
    std::ranges::sort(gpus, {}, &Gpu::name);
    for (std::size_t i = 0; i < gpus.size(); ++i) {
        gpus[i].number = static_cast<int>(i);
    }
    return gpus;
}

std::string Topology::describe() const {
    const auto accelerators = static_cast<int>(gpus().size());
    return fmt::format("{}, {}, {}, {}{}",
                       counted(impl_->count(HWLOC_OBJ_PACKAGE), "package", "packages"),
                       counted(impl_->count(HWLOC_OBJ_NUMANODE), "NUMA node", "NUMA nodes"),
                       counted(cores(), "core", "cores"),
                       counted(impl_->count(HWLOC_OBJ_PU), "hardware thread", "hardware threads"),
                       accelerators == 0 ? "" : ", " + counted(accelerators, "GPU", "GPUs"));
}

std::string Topology::xml() const {
    char* buffer = nullptr;
    int length = 0;
    if (hwloc_topology_export_xmlbuffer(impl_->machine, &buffer, &length, 0) != 0) {
        throw SystemError{ErrorCode::system, "hwloc cannot write its XML (out of memory?)"};
    }
    std::string text{buffer, static_cast<std::size_t>(length) - 1};
    hwloc_free_xmlbuffer(impl_->machine, buffer);
    return text;
}

Status Topology::bind_to(const Core& core) const {
    const Bitmap set = empty_bitmap();
    hwloc_bitmap_list_sscanf(set.get(), core.pus.c_str());
    if (hwloc_set_cpubind(impl_->machine, set.get(), HWLOC_CPUBIND_PROCESS) != 0) {
        return fail(ErrorCode::system,
                    "this process cannot be pinned to core {} (the operating system refuses). Set "
                    "PRISMLLM_BIND=none to do without.",
                    core.number);
    }
    return {};
}

}  // namespace prismllm::placement
