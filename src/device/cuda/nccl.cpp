// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "nccl.hpp"

#include <cstring>
#include <exception>
#include <map>

#include <nccl.h>

#include "prismllm/base/error.hpp"

namespace prismllm::device::cuda {
namespace {

void check_nccl(ncclResult_t result, const char* tried) {
    if (result != ncclSuccess) {
        throw SystemError{
            ErrorCode::resources,
            fmt::format("NCCL failed to {}: {}. Set NCCL_DEBUG=WARN and run again to see why.",
                        tried, ncclGetErrorString(result))};
    }
}

ncclDataType_t type_of(graph::DType dtype) {
    switch (dtype) {
        case graph::DType::bf16:
            return ncclBfloat16;
        case graph::DType::fp16:
            return ncclFloat16;
        case graph::DType::fp32:
            return ncclFloat32;
        case graph::DType::int64:
            return ncclInt64;
        case graph::DType::int32:
            return ncclInt32;
        case graph::DType::fp8:
        case graph::DType::uint8:
            break;
    }
    return ncclUint8;  // nothing is summed in fp8
}

ncclRedOp_t operation_of(graph::ReduceOp reduce) {
    switch (reduce) {
        case graph::ReduceOp::max:
            return ncclMax;
        case graph::ReduceOp::avg:
            return ncclAvg;
        default:
            return ncclSum;
    }
}

struct Group {
    ncclComm_t communicator = nullptr;
    int size = 0;
    int position = 0;
};

class Nccl final : public StreamCollectives {
public:
    Nccl() : exceptions_{std::uncaught_exceptions()} {}
    ~Nccl() override {
        // Members that are gone would be waited for.
        const bool failed = std::uncaught_exceptions() > exceptions_;
        for (const auto& [family, group] : groups_) {
            (void)(failed ? ncclCommAbort(group.communicator)
                          : ncclCommDestroy(group.communicator));
        }
    }
    Nccl(const Nccl&) = delete;
    Nccl& operator=(const Nccl&) = delete;

    [[nodiscard]] std::vector<std::byte> make_id() override {
        ncclUniqueId id{};
        check_nccl(ncclGetUniqueId(&id), "name a group");
        std::vector<std::byte> bytes(sizeof id);
        std::memcpy(bytes.data(), &id, sizeof id);
        return bytes;
    }

    void join(graph::FamilyIndex family, const std::vector<std::byte>& id, int size,
              int position) override {
        ncclUniqueId name{};
        std::memcpy(&name, id.data(), sizeof name);
        Group group{nullptr, size, position};
        check_nccl(ncclCommInitRank(&group.communicator, size, name, position), "form a group");
        groups_.emplace(family, group);
    }

    void use(Driver::Stream stream) override { stream_ = static_cast<cudaStream_t>(stream); }

    void queue(const graph::Communication& call, View in, View out) override {
        const Group& group = groups_.at(call.family);
        const auto count = static_cast<std::size_t>(call.elements);
        const int peer = (group.position + call.peer_delta + group.size) % group.size;
        check_nccl(start(call, group, peer, count, in, out), name_of(call.kind).data());
    }

    void begin_batch() override { check_nccl(ncclGroupStart(), "begin a batch"); }
    void end_batch() override { check_nccl(ncclGroupEnd(), "start a batch"); }

private:
    ncclResult_t start(const graph::Communication& call, const Group& group, int peer,
                       std::size_t count, const View& in, const View& out) {
        const ncclDataType_t type = type_of((in.empty() ? out : in).dtype);
        switch (call.kind) {
            case graph::CollectiveKind::all_reduce:
                return ncclAllReduce(in.data, out.data, count, type, operation_of(call.reduce),
                                     group.communicator, stream_);
            case graph::CollectiveKind::all_gather:
                return ncclAllGather(in.data, out.data, count, type, group.communicator, stream_);
            case graph::CollectiveKind::reduce_scatter:
                return ncclReduceScatter(in.data, out.data, count, type, operation_of(call.reduce),
                                         group.communicator, stream_);
            case graph::CollectiveKind::send:
                return ncclSend(in.data, count, type, peer, group.communicator, stream_);
            case graph::CollectiveKind::recv:
                return ncclRecv(out.data, count, type, peer, group.communicator, stream_);
            default:
                throw SystemError{ErrorCode::internal,
                                  "real ranks do not " + std::string{name_of(call.kind)} + " yet"};
        }
    }

    int exceptions_;
    cudaStream_t stream_ = nullptr;
    std::map<graph::FamilyIndex, Group> groups_;
};

}  // namespace

std::unique_ptr<StreamCollectives> make_nccl() {
    return std::make_unique<Nccl>();
}

}  // namespace prismllm::device::cuda
