// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "prismllm/comm/agree.hpp"
#include "prismllm/emulation/run.hpp"
#include "prismllm/store/graph_file.hpp"

namespace prismllm::emulation {

Expected<graph::ExecutionGraph> share_graph(const comm::Communicator& comm,
                                            Expected<graph::ExecutionGraph> mine) {
    if (comm.size() == 1) {
        return mine;
    }
    const bool root = comm.rank() == 0;
    const Status local = root && !mine ? Status{tl::unexpected{mine.error()}} : Status{};
    if (auto agreed = comm::agree(comm, local); !agreed) {
        return tl::unexpected{root ? mine.error() : agreed.error()};
    }
    std::vector<std::byte> image;
    if (root) {
        image = store::graph_image(*mine, {});
    }
    comm.broadcast(image);
    if (root) {
        return mine;
    }
    auto stored = store::graph_from_image(image);
    if (!stored) {  // host rank 0 went on with it: not an outcome that all share
        throw SystemError{ErrorCode::internal,
                          "graph sent by host rank 0: " + stored.error().message};
    }
    return std::move(stored->graph);
}

}  // namespace prismllm::emulation
