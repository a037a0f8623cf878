// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
#include "prismllm/store/graph_file.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

TEST(GraphFile, GivesBackEveryFieldThatWasWritten) {
    const samples::Folder folder{"graph"};
    const auto graph = samples::graph();
    ASSERT_TRUE(graph::check_consistent(graph).has_value());

    const auto written = write_graph(folder.file("g.h5"), graph, samples::provenance());
    const auto read = read_graph(folder.file("g.h5"));

    ASSERT_TRUE(written.has_value()) << written.error().message;
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->graph, graph);
    EXPECT_EQ(read->provenance, samples::provenance());
}

TEST(GraphFile, LeavesNoUnfinishedFileBehind) {
    const samples::Folder folder{"graph-tmp"};

    ASSERT_TRUE(write_graph(folder.file("g.h5"), samples::graph(), samples::provenance()));

    EXPECT_TRUE(std::filesystem::exists(folder.file("g.h5")));
    EXPECT_FALSE(samples::has_unfinished_file(folder.file("g.h5")));
}

TEST(GraphFile, KeepsAnUncostedGraphUncosted) {
    const samples::Folder folder{"graph-uncosted"};
    auto graph = samples::graph();
    graph.kernel_costs.clear();
    graph.communication_costs.clear();
    graph.group_shape.clear();

    ASSERT_TRUE(write_graph(folder.file("g.h5"), graph, samples::provenance()));
    const auto read = read_graph(folder.file("g.h5"));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->graph, graph);
}

TEST(GraphFile, KeepsAGraphWithEmptyTables) {
    auto graph = samples::graph();
    graph.communications.clear();
    graph.communication_costs.clear();
    graph.splits.clear();
    graph.tensors.clear();
    for (auto& rank_class : graph.classes) {
        rank_class.ops.clear();
    }

    const auto read = graph_from_image(graph_image(graph, Provenance{}));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->graph, graph);
    EXPECT_EQ(read->provenance, Provenance{});
}

TEST(GraphFile, HasTheSameBytesWheneverItIsWritten) {
    const samples::Folder folder{"graph-twice"};
    const auto graph = samples::graph();

    ASSERT_TRUE(write_graph(folder.file("a.h5"), graph, samples::provenance()));
    ASSERT_TRUE(write_graph(folder.file("b.h5"), graph, samples::provenance()));

    EXPECT_EQ(bytes_of(folder.file("a.h5")), bytes_of(folder.file("b.h5")));
}

TEST(GraphFile, ReplacesAnOlderFileOfItsName) {
    const samples::Folder folder{"graph-replace"};
    std::ofstream{folder.file("g.h5")} << "something older";

    ASSERT_TRUE(write_graph(folder.file("g.h5"), samples::graph(), samples::provenance()));

    EXPECT_TRUE(read_graph(folder.file("g.h5")).has_value());
}

// 262,144 ranks in the same two classes: rank runs, axes and runs of group shapes stay as they
// are, so not one byte is added; ten times the ops add to the file.
TEST(GraphFile, GrowsWithClassesAndNotWithRanks) {
    const samples::Folder folder{"graph-size"};
    const auto write = [&](const char* name, const graph::ExecutionGraph& graph) {
        EXPECT_TRUE(write_graph(folder.file(name), graph, samples::provenance()));
        return std::filesystem::file_size(folder.file(name));
    };

    const auto small = write("small.h5", samples::graph(16));
    const auto wide = write("wide.h5", samples::graph(262'144));
    const auto deep = write("deep.h5", samples::graph(16, 30'000));

    EXPECT_EQ(wide, small);
    EXPECT_GT(deep, small);
}

// The figure of docs/reference/formats/graph.md: 16 classes of 40,000 ops under 5 MB.
TEST(GraphFile, StaysUnderFiveMegabytesForALargeJob) {
    const samples::Folder folder{"graph-405b"};
    auto graph = samples::graph(8192, 40'000);
    for (int stage = 2; stage < 16; ++stage) {
        graph.classes.push_back(graph.classes[static_cast<std::size_t>(stage % 2)]);
    }

    ASSERT_TRUE(write_graph(folder.file("g.h5"), graph, samples::provenance()));

    EXPECT_LT(std::filesystem::file_size(folder.file("g.h5")), 5'000'000U);
}

TEST(GraphImage, GivesBackTheGraph) {
    const auto graph = samples::graph();

    const auto read = graph_from_image(graph_image(graph, samples::provenance()));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->graph, graph);
    EXPECT_EQ(read->provenance, samples::provenance());
}

TEST(GraphImage, IsTheSameFormatAsAFile) {
    const samples::Folder folder{"graph-image"};
    const auto graph = samples::graph();
    const auto image = graph_image(graph, samples::provenance());
    std::ofstream{folder.file("g.h5"), std::ios::binary}.write(
        reinterpret_cast<const char*>(image.data()), static_cast<std::streamsize>(image.size()));

    const auto read = read_graph(folder.file("g.h5"));

    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->graph, graph);
}

TEST(FormatOf, TellsGraphsFromResults) {
    const samples::Folder folder{"format"};
    ASSERT_TRUE(write_graph(folder.file("g.h5"), samples::graph(), samples::provenance()));
    ASSERT_TRUE(write_result(folder.file("r.h5"), samples::result(), samples::provenance()));

    EXPECT_EQ(format_of(folder.file("g.h5")), "prismllm.graph");
    EXPECT_EQ(format_of(folder.file("r.h5")), "prismllm.result");
    EXPECT_EQ(format_of(folder.file("none.h5")).error().code, ErrorCode::bad_input);
}

}  // namespace
}  // namespace prismllm::store
