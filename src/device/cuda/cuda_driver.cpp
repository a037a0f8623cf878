// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "cuda_driver.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "check.hpp"

namespace prismllm::device::cuda {
namespace {

cudaStream_t stream_of(Driver::Stream stream) {
    return static_cast<cudaStream_t>(stream);
}
cudaEvent_t event_of(Driver::Event event) {
    return static_cast<cudaEvent_t>(event);
}

class CudaDriver final : public Driver {
public:
    explicit CudaDriver(int number) {
        check(cudaSetDevice(number), "be chosen");
        // Memory that was given back stays for the next: an iteration asks for the same again.
        cudaMemPool_t pool = nullptr;
        check(cudaDeviceGetDefaultMemPool(&pool, number), "name its memory pool");
        std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
        check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all),
              "keep its memory pool");
    }

    [[nodiscard]] Stream create_stream() override {
        cudaStream_t stream = nullptr;
        check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "create a stream");
        return stream;
    }
    // Destructors call these: what fails then has been reported by a call before.
    void destroy_stream(Stream stream) override {
        (void)cudaStreamSynchronize(stream_of(stream));
        (void)cudaStreamDestroy(stream_of(stream));
    }
    [[nodiscard]] Event create_event(EventUse use) override {
        cudaEvent_t event = nullptr;
        const unsigned flags = use == EventUse::timing ? cudaEventDefault : cudaEventDisableTiming;
        check(cudaEventCreateWithFlags(&event, flags), "create an event");
        return event;
    }
    void destroy_event(Event event) override { (void)cudaEventDestroy(event_of(event)); }

    void record(Event event, Stream stream) override {
        check(cudaEventRecord(event_of(event), stream_of(stream)), "record an event");
    }
    void wait(Stream stream, Event event) override {
        check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "wait for an event");
    }
    void synchronize(Stream stream) override {
        check(cudaStreamSynchronize(stream_of(stream)), "do what it was given");
    }
    [[nodiscard]] std::int64_t elapsed_ps(Event from, Event to) override {
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, event_of(from), event_of(to)), "tell a time");
        return std::llround(static_cast<double>(milliseconds) * 1e9);
    }

    [[nodiscard]] void* allocate(std::int64_t bytes, Stream stream) override {
        void* data = nullptr;
        const cudaError_t error =
            cudaMallocAsync(&data, static_cast<std::size_t>(bytes), stream_of(stream));
        if (error == cudaErrorMemoryAllocation) {
            (void)cudaGetLastError();  // it is not sticky, but the next query would find it
            return nullptr;
        }
        check(error, "allocate memory");
        return data;
    }
    void release(void* data, Stream stream) override {
        check(cudaFreeAsync(data, stream_of(stream)), "free memory");
    }
    void zero(void* data, std::int64_t bytes, Stream stream) override {
        check(cudaMemsetAsync(data, 0, static_cast<std::size_t>(bytes), stream_of(stream)),
              "clear memory");
    }
    void copy_in(const void* from, void* to, std::int64_t bytes, Stream stream) override {
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice,
                              stream_of(stream)),
              "copy from the host");
    }
    void copy_out(const void* from, void* to, std::int64_t bytes, Stream stream) override {
        check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost,
                              stream_of(stream)),
              "copy to the host");
    }
};

}  // namespace

std::unique_ptr<Driver> make_cuda_driver(int number) {
    return std::make_unique<CudaDriver>(number);
}

}  // namespace prismllm::device::cuda
