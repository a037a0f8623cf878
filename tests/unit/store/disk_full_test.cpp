// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// A disk that fills up, played by a limit on the size of files.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

using testing::HasSubstr;

/// While it lives, writing past `bytes` in any file fails with EFBIG.
class SmallDisk {
public:
    explicit SmallDisk(rlim_t bytes) : handler_{std::signal(SIGXFSZ, SIG_IGN)} {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit{bytes, before_.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~SmallDisk() {
        ::setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

private:
    void (*handler_)(int);
    rlimit before_{};
};

TEST(DiskFull, IsAShortageOfResourcesThatNamesTheFile) {
    const samples::Folder folder{"full"};
    const auto path = folder.file("graph.h5");

    const auto written = [&] {
        const SmallDisk disk{10'000};
        return write_graph(path, samples::graph(), samples::provenance());
    }();

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::resources);
    EXPECT_THAT(written.error().message, HasSubstr(path.string()));
    EXPECT_THAT(written.error().message, HasSubstr("File too large"));
}

TEST(DiskFull, LeavesTheOlderFileAndNoUnfinishedOne) {
    const samples::Folder folder{"full-older"};
    const auto path = folder.file("result.h5");
    ASSERT_TRUE(write_result(path, samples::result(), samples::provenance()));

    const auto written = [&] {
        const SmallDisk disk{10'000};
        return write_result(path, samples::result(64), samples::provenance());
    }();

    ASSERT_FALSE(written.has_value());
    EXPECT_FALSE(samples::has_unfinished_file(path));
    const auto read = read_result(path);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data.world_size, 16);
}

TEST(DiskFull, OnTheFirstByteIsReportedToo) {
    const samples::Folder folder{"full-first"};

    const auto written = [&] {
        const SmallDisk disk{0};
        return write_graph(folder.file("g.h5"), samples::graph(), samples::provenance());
    }();

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::resources);
    EXPECT_FALSE(samples::has_unfinished_file(folder.file("g.h5")));
}

TEST(UnwritablePlace, IsASystemErrorThatNamesTheFile) {
    const samples::Folder folder{"no-place"};
    const auto path = folder.file("missing/graph.h5");

    const auto written = write_graph(path, samples::graph(), samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::system);
    EXPECT_THAT(written.error().message, HasSubstr(path.string()));
    EXPECT_THAT(written.error().message, HasSubstr("No such file or directory"));
}

TEST(UnwritablePlace, MayBeAPipe) {
    const samples::Folder folder{"pipe"};
    const auto path = folder.file("graph.h5");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);

    const auto written = write_graph(path, samples::graph(), samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_THAT(written.error().message, HasSubstr("not a regular file"));
    EXPECT_TRUE(std::filesystem::is_fifo(path));
    EXPECT_FALSE(samples::has_unfinished_file(path));
}

TEST(UnwritablePlace, MayBeADirectory) {
    const samples::Folder folder{"directory"};
    std::filesystem::create_directory(folder.file("graph.h5"));

    const auto written =
        write_graph(folder.file("graph.h5"), samples::graph(), samples::provenance());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::system);
    EXPECT_TRUE(std::filesystem::is_directory(folder.file("graph.h5")));
    EXPECT_FALSE(samples::has_unfinished_file(folder.file("graph.h5")));
}

}  // namespace
}  // namespace prismllm::store
