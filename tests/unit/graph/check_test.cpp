// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// Every way in which a graph from a damaged or hostile file can be wrong is refused by name.
#include <cstdint>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "prismllm/graph/execution_graph.hpp"

namespace prismllm::graph {
namespace {

using testing::HasSubstr;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

Op op_of(OpKind kind, std::uint32_t index = 0, std::uint32_t instance = 0) {
    Op op;
    op.kind = kind;
    op.index = index;
    op.instance = instance;
    return op;
}

/// Four ranks in two classes: a tp family of two pairs, a hand-written family of one pair, one
/// kernel, one tensor, one event, costs.
ExecutionGraph sound_graph() {
    ExecutionGraph graph;
    graph.world_size = 4;
    graph.ranks_per_node = 4;
    graph.streams = {"compute", "comm"};
    graph.kernels.resize(1);
    graph.families = {{"tp", FamilyKind::tensor, 0, {{2, 1}}, {{2, 2}}, {}, {}},
                      {"odd", FamilyKind::other, 0, {}, {}, {0, 2}, {3, 0}}};
    Communication all_reduce;
    all_reduce.elements = 10;
    Communication broadcast = all_reduce;
    broadcast.kind = CollectiveKind::broadcast;
    broadcast.root = 1;
    Communication uneven = all_reduce;
    uneven.kind = CollectiveKind::all_to_all;
    uneven.splits = 0;
    graph.communications = {all_reduce, broadcast, uneven};
    graph.splits = {{{4, 6}, {4, 6}}};
    graph.tensors = {{"x", TensorRole::activation, 20}};
    const std::vector<Op> ops = {op_of(OpKind::allocate),       op_of(OpKind::kernel),
                                 op_of(OpKind::record),         op_of(OpKind::wait),
                                 op_of(OpKind::communicate, 0), op_of(OpKind::communicate, 1),
                                 op_of(OpKind::communicate, 2), op_of(OpKind::release)};
    graph.classes = {{"a", 0, ops}, {"b", 1, ops}};
    graph.rank_runs = {{0, 1, 0}, {1, 3, 1}};
    graph.kernel_costs.resize(1);
    graph.group_shape = {{0, 0}, {0}};
    graph.communication_costs = {{Cost{}}, {Cost{}}, {Cost{}}};
    return graph;
}

struct Damage {
    std::string name;
    std::function<void(ExecutionGraph&)> inflict;
    std::string complaint;
};

class CheckConsistent : public testing::TestWithParam<Damage> {};

TEST(CheckConsistent, AcceptsASoundGraph) {
    const Status status = check_consistent(sound_graph());

    EXPECT_TRUE(status.has_value()) << status.error().message;
}

TEST(CheckConsistent, AcceptsAGraphWithoutCosts) {
    ExecutionGraph graph = sound_graph();
    graph.kernel_costs.clear();
    graph.group_shape.clear();
    graph.communication_costs.clear();

    EXPECT_TRUE(check_consistent(graph).has_value());
}

TEST_P(CheckConsistent, RefusesDamageByName) {
    ExecutionGraph graph = sound_graph();
    GetParam().inflict(graph);

    const Status status = check_consistent(graph);

    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code, ErrorCode::bad_input);
    EXPECT_THAT(status.error().message, HasSubstr(GetParam().complaint));
}

using G = ExecutionGraph;

INSTANTIATE_TEST_SUITE_P(
    Sizes, CheckConsistent,
    testing::Values(
        Damage{"no_ranks", [](G& g) { g.world_size = 0; }, "the world has 0 ranks"},
        Damage{"negative_world", [](G& g) { g.world_size = -5; }, "the world has -5 ranks"},
        Damage{"huge_world", [](G& g) { g.world_size = huge; },
               "the world has 9223372036854775807"},
        Damage{"no_node", [](G& g) { g.ranks_per_node = 0; }, "a node holds 0 ranks"},
        Damage{"eager", [](G& g) { g.eager_bytes = -1; }, "up to -1 bytes are eager"},
        Damage{"no_stream", [](G& g) { g.streams.clear(); }, "there are 0 streams"},
        Damage{"many_streams", [](G& g) { g.streams.resize(256); }, "there are 256 streams"},
        Damage{"facts", [](G& g) { g.facts.device_peak_flops = -1; }, "a job fact is negative"},
        Damage{"nan",
               [](G& g) {
                   g.facts.model_flops_per_iteration = std::numeric_limits<double>::quiet_NaN();
               },
               "a job fact is negative or not a number"},
        Damage{"stages", [](G& g) { g.facts.pipeline_stages = huge; }, "pipeline stages"},
        Damage{"gap", [](G& g) { g.rank_runs[1].first = 2; }, "rank run 1 holds 3 ranks from 2"},
        Damage{"long_run", [](G& g) { g.rank_runs[1].count = huge; }, "rank run 1 holds"},
        Damage{"empty_run", [](G& g) { g.rank_runs[0].count = 0; }, "rank run 0 holds 0"},
        Damage{"short", [](G& g) { g.rank_runs.pop_back(); }, "rank runs end at rank 1"},
        Damage{"class", [](G& g) { g.rank_runs[0].rank_class = 2; }, "rank run 0 names class 2"},
        Damage{"no_class", [](G& g) { g.rank_runs[0].rank_class = -1; }, "names class -1"},
        Damage{"orphan", [](G& g) { g.classes.emplace_back(); }, "class 2 ('') has no ranks"}),
    [](const auto& damage) { return damage.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Families, CheckConsistent,
    testing::Values(
        Damage{"kind", [](G& g) { g.families[0].kind = static_cast<FamilyKind>(99); },
               "family 'tp' is of an unknown kind"},
        Damage{"zero_axis", [](G& g) { g.families[0].members[0].size = 0; }, "family 'tp' has"},
        Damage{"huge_axis", [](G& g) { g.families[0].members[0].size = huge; }, "family 'tp' has"},
        Damage{"product",
               [](G& g) {
                   g.families[0].groups.push_back({huge / 2, 1});
               },
               "family 'tp' has more members"},
        Damage{"stride", [](G& g) { g.families[0].groups[0].stride = huge; }, "family 'tp' has"},
        Damage{"negative_stride", [](G& g) { g.families[0].groups[0].stride = -2; },
               "family 'tp' has"},
        Damage{"axes",
               [](G& g) {
                   g.families[0].groups.resize(1'000'000, Axis{1, 0});
               },
               "too many axes"},
        Damage{"beyond", [](G& g) { g.families[0].first = 1; }, "spans ranks 1 to 4"},
        Damage{"before", [](G& g) { g.families[0].first = -1; }, "spans ranks -1"},
        Damage{"overlap", [](G& g) { g.families[0].groups[0].stride = 1; },
               "family 'tp' holds a rank twice"},
        Damage{"stray", [](G& g) { g.families[0].ranks = {1}; }, "without group offsets"},
        Damage{"both",
               [](G& g) {
                   g.families[1].groups = {{1, 1}};
               },
               "no axes are given"},
        Damage{"offsets",
               [](G& g) {
                   g.families[1].group_offsets = {0, huge};
               },
               "offsets"},
        Damage{"start",
               [](G& g) {
                   g.families[1].group_offsets = {1, 2};
               },
               "offsets 1 to 2"},
        Damage{"fall",
               [](G& g) {
                   g.families[1].group_offsets = {0, 2, 1, 2};
               },
               "follow each"},
        Damage{"wild",
               [](G& g) {
                   g.families[1].group_offsets = {0, huge, 2};
               },
               "follow each"},
        Damage{"empty",
               [](G& g) {
                   g.families[1].group_offsets = {0, 0, 2};
               },
               "not empty"},
        Damage{"rank",
               [](G& g) {
                   g.families[1].ranks = {0, 4};
               },
               "names rank 4"},
        Damage{"twice",
               [](G& g) {
                   g.families[1].ranks = {3, 3};
               },
               "holds a rank twice"}),
    [](const auto& damage) { return damage.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Descriptions, CheckConsistent,
    testing::Values(
        Damage{"kernel", [](G& g) { g.kernels[0].kind = static_cast<KernelKind>(99); }, "kernel 0"},
        Damage{"shape", [](G& g) { g.kernels[0].shape[2] = -1; }, "kernel 0"},
        Damage{"flops", [](G& g) { g.kernels[0].flops = std::numeric_limits<double>::infinity(); },
               "kernel 0"},
        Damage{"call", [](G& g) { g.communications[0].kind = static_cast<CollectiveKind>(9); },
               "communication 0 has an unknown kind"},
        Damage{"family", [](G& g) { g.communications[0].family = 2; }, "names family 2"},
        Damage{"elements", [](G& g) { g.communications[0].elements = -1; }, "moves -1 elements"},
        Damage{"overflow", [](G& g) { g.communications[0].elements = huge; }, "2^50 bytes"},
        Damage{"root", [](G& g) { g.communications[1].root = 2; }, "has root 2"},
        Damage{"no_root", [](G& g) { g.communications[1].root = -1; }, "has root -1"},
        Damage{"splits", [](G& g) { g.communications[2].splits = 1; }, "names splits 1"},
        Damage{"splits_of_sum", [](G& g) { g.communications[0].splits = 0; }, "names splits 0"},
        Damage{"split", [](G& g) { g.splits[0].send[1] = -3; }, "splits 0 hold -3 elements"},
        Damage{"split_size", [](G& g) { g.splits[0].receive.push_back(0); },
               "splits an all_to_all into 2 sends and 3 receives"},
        Damage{"role", [](G& g) { g.tensors[0].role = static_cast<TensorRole>(6); }, "tensor 0"},
        Damage{"bytes", [](G& g) { g.tensors[0].bytes = huge; }, "tensor 0 ('x')"},
        Damage{"outsider", [](G& g) { g.communications[0].family = 1; },
               "class 'b' communicates in family 'odd' (1 of its 3 ranks are members)"}),
    [](const auto& damage) { return damage.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Ops, CheckConsistent,
    testing::Values(
        Damage{"kind", [](G& g) { g.classes[1].ops[1].kind = static_cast<OpKind>(6); },
               "op 1 of class 'b' has an unknown kind"},
        Damage{"label", [](G& g) { g.classes[1].ops[1].layer = -2; }, "op 1 of class 'b'"},
        Damage{"stream", [](G& g) { g.classes[0].ops[1].stream = 2; }, "runs on stream 2"},
        Damage{"kernel", [](G& g) { g.classes[0].ops[1].index = 1; }, "names kernel 1"},
        Damage{"call", [](G& g) { g.classes[0].ops[4].index = 3; }, "names communicate 3"},
        Damage{"tensor", [](G& g) { g.classes[0].ops[0].index = 1; }, "names allocate 1"},
        Damage{"event", [](G& g) { g.classes[0].ops[2].instance = 0xffffffffU; },
               "op 2 of class 'a' (record) has number 4294967295"},
        Damage{"twice", [](G& g) { g.classes[0].ops[3].kind = OpKind::record; },
               "records event 0 again"},
        Damage{"never", [](G& g) { g.classes[0].ops[3].instance = 1; }, "waits for event 1"},
        Damage{"instance", [](G& g) { g.classes[0].ops[0].instance = 4'000'000'000U; },
               "has number 4000000000"},
        Damage{"again", [](G& g) { g.classes[0].ops[1] = g.classes[0].ops[0]; },
               "allocates tensor 0"},
        Damage{"free", [](G& g) { g.classes[0].ops[7].instance = 1; }, "releases tensor 1"},
        Damage{"double_free", [](G& g) { g.classes[0].ops.push_back(g.classes[0].ops[7]); },
               "releases tensor 0"},
        Damage{"stage", [](G& g) { g.classes[0].stage = -1; }, "is on stage -1"}),
    [](const auto& damage) { return damage.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Costs, CheckConsistent,
    testing::Values(
        Damage{"missing", [](G& g) { g.kernel_costs.clear(); }, "costs cover 0 kernels"},
        Damage{"negative", [](G& g) { g.kernel_costs[0].duration_ps = -1; }, "kernel 0 has a"},
        Damage{"shapes", [](G& g) { g.group_shape[0].pop_back(); }, "shapes for 1 groups"},
        Damage{"shape", [](G& g) { g.group_shape[0][1] = 7; },
               "communication 0 has 1 costs (its groups have 8 shapes)"},
        Damage{"call", [](G& g) { g.communication_costs[1][0].duration_ps = -9; },
               "communication 1 has a negative cost"},
        Damage{"clock", [](G& g) { g.kernel_costs[0].duration_ps = huge; },
               "durations of class 'a' sum to more"}),
    [](const auto& damage) { return damage.param.name; });

}  // namespace
}  // namespace prismllm::graph
