// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <gtest/gtest.h>

#include "prismllm/base/error.hpp"

#include "host_device.hpp"

namespace prismllm::device {
namespace {

TEST(Memory, ThatIsNotThereIsNamedWithWhatToReduce) {
    const auto host = make_host_device();
    Memory memory{*host};
    try {
        (void)memory.allocate("attention scores", graph::DType::fp32, std::int64_t{1} << 62,
                              Device::Start::zeros);
        FAIL() << "there is no such memory";
    } catch (const SystemError& error) {
        const std::string message = error.what();
        EXPECT_EQ(error.code(), ErrorCode::resources);
        EXPECT_NE(message.find("\"attention scores\""), std::string::npos) << message;
        EXPECT_NE(message.find("training.micro_batch_size"), std::string::npos) << message;
    }
    EXPECT_EQ(memory.bytes(), 0);
}

}  // namespace
}  // namespace prismllm::device
