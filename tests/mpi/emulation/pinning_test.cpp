// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/emulation/pinning.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

#include "prismllm/placement/topology.hpp"

namespace prismllm::emulation {
namespace {

/// Pinning is on, whatever the environment of the tests says, and the process goes back to where
/// it may run for the tests that follow.
class Pinned : public testing::Test {
protected:
    Pinned() { unsetenv("PRISMLLM_BIND"); }
    ~Pinned() override {
        const placement::Core everything{0, 0, 0, before_};
        EXPECT_TRUE(placement::Topology::live().bind_to(everything).has_value());
    }

    const comm::Communicator world_ = comm::Communicator::world();
    const std::string before_ = placement::Topology::live().allowed();
};

TEST_F(Pinned, EveryProcessReportsToTheFirst) {
    const ProcessPlacement placement = pin_processes(world_, placement::Duty::proxy);

    if (world_.rank() != 0) {
        EXPECT_TRUE(placement.lines.empty());
        EXPECT_TRUE(placement.machine_xml.empty());
        return;
    }
    ASSERT_EQ(placement.lines.size(), static_cast<std::size_t>(world_.size()));
    for (int r = 0; r < world_.size(); ++r) {
        EXPECT_EQ(placement.lines[static_cast<std::size_t>(r)].rfind(
                      "host rank " + std::to_string(r) + ": ", 0),
                  0U);
    }
    EXPECT_NE(placement.machine_xml.find("<topology"), std::string::npos);
}

TEST_F(Pinned, ProcessesGetACoreEachExactlyWhereTheyFit) {
    const placement::Topology before = placement::Topology::live();
    const bool fit = world_.size() > 1 && world_.size() <= before.allowed_cores();

    static_cast<void>(pin_processes(world_, placement::Duty::proxy));

    const placement::Topology after = placement::Topology::live();
    EXPECT_EQ(after.allowed_cores(), fit ? 1 : before.allowed_cores());
}

TEST_F(Pinned, EnvironmentTurnsItOff) {
    setenv("PRISMLLM_BIND", "none", 1);

    const ProcessPlacement placement = pin_processes(world_, placement::Duty::proxy);

    unsetenv("PRISMLLM_BIND");
    EXPECT_EQ(placement::Topology::live().allowed(), before_);
    if (world_.rank() == 0) {
        EXPECT_NE(placement.lines[0].find("not pinned (PRISMLLM_BIND=none)"), std::string::npos);
    }
}

}  // namespace
}  // namespace prismllm::emulation
