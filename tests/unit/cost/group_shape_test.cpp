// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "prismllm/cost/collective_model.hpp"

namespace prismllm::cost {
namespace {

using graph::Family;
using graph::FamilyKind;

// 64 ranks on nodes of 8: tp 4 (stride 1), dp 8 (stride 4), pp 2 (stride 32).
const Family tensor{"tp", FamilyKind::tensor, 0, {{4, 1}}, {{8, 4}, {2, 32}}, {}, {}};
const Family data{"dp", FamilyKind::data, 0, {{8, 4}}, {{4, 1}, {2, 32}}, {}, {}};
const Family pipeline{"pp", FamilyKind::pipeline, 0, {{2, 32}}, {{4, 1}, {8, 4}}, {}, {}};

TEST(ShapeOf, FindsATensorGroupInsideANode) {
    EXPECT_EQ(shape_of(tensor, 3, 8), (GroupShape{4, 1, 4, 2}));
}

TEST(ShapeOf, CountsGroupsThatShareANode) {
    // each data group has 2 of its 8 ranks on each of 4 nodes; 4 such groups lie side by side
    EXPECT_EQ(shape_of(data, 5, 8), (GroupShape{8, 4, 2, 4}));
    EXPECT_EQ(shape_of(pipeline, 0, 8), (GroupShape{2, 2, 1, 8}));
}

TEST(ShapeOf, SkipsRanksThatBelongToNoGroup) {
    // first and last of 4 stages of 8 ranks: the nodes of the middle stages have no members
    const Family embedding{"embedding", FamilyKind::embedding, 0, {{2, 24}}, {{8, 1}}, {}, {}};

    EXPECT_EQ(shape_of(embedding, 2, 8), (GroupShape{2, 2, 1, 8}));
    EXPECT_EQ(shape_of(embedding, 2, 16), (GroupShape{2, 2, 1, 8}));
}

TEST(ShapeOf, TakesTheFullestNodeOfAnUnevenGroup) {
    const Family odd{"odd", FamilyKind::other, 0, {}, {}, {0, 5, 8}, {0, 1, 2, 3, 4, 5, 6, 7}};

    EXPECT_EQ(shape_of(odd, 0, 4), (GroupShape{5, 2, 4, 1}));
    EXPECT_EQ(shape_of(odd, 1, 4), (GroupShape{3, 1, 3, 2}));
}

TEST(ShapeOf, AgreesBetweenDivisionAndSearch) {
    for (const Family& family : {tensor, data, pipeline}) {
        Family listed{family.name, family.kind, 0, {}, {}, {0}, {}};
        for (std::int64_t group = 0; group < family.group_count(); ++group) {
            const auto ranks = family.group_ranks(group);
            listed.ranks.insert(listed.ranks.end(), ranks.begin(), ranks.end());
            listed.group_offsets.push_back(static_cast<std::int64_t>(listed.ranks.size()));
        }
        for (std::int64_t group = 0; group < family.group_count(); ++group) {
            EXPECT_EQ(shape_of(family, group, 8), shape_of(listed, group, 8)) << family.name;
        }
    }
}

TEST(ShapeOf, AnswersForAHundredThousandRanksAtOnce) {
    // 131,072 ranks, tp 8, dp 1024, pp 16: one shape must not cost a walk over all groups
    const Family wide{"tp", FamilyKind::tensor, 0, {{8, 1}}, {{1024, 8}, {16, 8192}}, {}, {}};

    for (std::int64_t group = 0; group < wide.group_count(); ++group) {
        ASSERT_EQ(shape_of(wide, group, 8), (GroupShape{8, 1, 8, 1}));
    }
}

}  // namespace
}  // namespace prismllm::cost
