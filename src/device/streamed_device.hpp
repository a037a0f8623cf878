// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A GPU: work is queued on streams, memory is given in their order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "device.hpp"
#include "driver.hpp"
#include "stream_operations.hpp"

namespace prismllm::device {

class StreamedDevice final : public Device {
public:
    /// @param collectives may be null
    StreamedDevice(std::unique_ptr<Driver> driver, std::unique_ptr<StreamOperations> operations,
                   std::unique_ptr<StreamCollectives> collectives);
    ~StreamedDevice() override;
    StreamedDevice(const StreamedDevice&) = delete;
    StreamedDevice& operator=(const StreamedDevice&) = delete;

    [[nodiscard]] Operations& operations() override { return *operations_; }
    [[nodiscard]] graph::DType stored_as(graph::DType dtype) const override {
        return operations_->stored_as(dtype);
    }
    [[nodiscard]] void* allocate(std::int64_t bytes, Start start) override;
    void release(void* data) override;
    void use(program::Stream stream) override;
    void record(std::uint32_t event) override;
    void wait(std::uint32_t event) override;
    void finish() override;
    void copy_in(const void* from, void* to, std::int64_t bytes) override;
    void copy_out(const void* from, void* to, std::int64_t bytes) override;
    [[nodiscard]] float* on_host(View) const override { return nullptr; }
    [[nodiscard]] StreamCollectives* collectives() override { return collectives_.get(); }
    void begin_timing() override;
    [[nodiscard]] std::optional<std::int64_t> end_timing() override;

private:
    [[nodiscard]] Driver::Event event_from_pool();

    std::unique_ptr<Driver> driver_;
    std::unique_ptr<StreamOperations> operations_;
    std::unique_ptr<StreamCollectives> collectives_;
    std::array<Driver::Stream, program::stream_count> streams_{};
    Driver::Stream stream_ = nullptr;                          ///< in use
    std::unordered_map<std::uint32_t, Driver::Event> events_;  ///< since the last finish
    std::vector<Driver::Event> pool_;                          ///< that stand for nothing
    std::vector<std::vector<std::byte>> held_;  ///< the host's part of copies under way
    Driver::Event timing_begin_ = nullptr, timing_end_ = nullptr;
};

}  // namespace prismllm::device
