// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
// ctest label: mpi. Runs on 1, 2 and 4 processes.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

int process() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int processes() {
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

ParallelAccess world() {
    return {static_cast<int>(MPI_Comm_c2f(MPI_COMM_WORLD))};
}

/// As world(), but rows travel and are written in pieces of at most so many bytes.
ParallelAccess world_in_pieces(std::size_t bytes) {
    ParallelAccess access = world();
    access.piece_bytes = bytes;
    return access;
}

/// One folder that all processes know; the first one makes it and removes it.
class SharedFolder {
public:
    explicit SharedFolder(const std::string& name) {
        int id = static_cast<int>(::getpid());
        MPI_Bcast(&id, 1, MPI_INT, 0, MPI_COMM_WORLD);
        path_ = std::filesystem::temp_directory_path() /
                ("prismllm-mpi-" + name + "-" + std::to_string(id));
        if (process() == 0) {
            std::filesystem::create_directories(path_);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~SharedFolder() {
        MPI_Barrier(MPI_COMM_WORLD);
        if (process() == 0) {
            std::error_code ignored;
            std::filesystem::remove_all(path_, ignored);
        }
    }
    SharedFolder(const SharedFolder&) = delete;
    SharedFolder& operator=(const SharedFolder&) = delete;

    [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }

private:
    std::filesystem::path path_;
};

/// What this process holds when rank r is on process owner(r).
template <class Owner>
ResultData share(std::int64_t world_size, Owner owner) {
    auto data = samples::result_tables(world_size, 2);
    for (std::int64_t rank = 0; rank < world_size; ++rank) {
        if (owner(rank) == process()) {
            samples::add_rank(data, rank);
        }
    }
    samples::fill_ends(data);
    for (const auto& [rank, ops] : {std::pair{1, 7}, std::pair{5, 9}, std::pair{6, 5000}}) {
        if (owner(rank) == process()) {
            samples::add_timeline(data, rank, ops);
        }
    }
    return data;
}

/// The same result as one process holds and writes it.
ResultData whole(std::int64_t world_size) {
    auto data = samples::result(world_size, 2);
    samples::add_timeline(data, 6, 5000);
    return data;
}

template <class Owner>
void expect_same_as_serial(const std::string& name, std::int64_t world_size, Owner owner) {
    const SharedFolder folder{name};
    const auto path = folder.file("r.h5");

    const auto written =
        write_result(path, share(world_size, owner), samples::provenance(), world());

    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_FALSE(samples::has_unfinished_file(path));
    const auto read = read_result(path);
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_TRUE(read->data == whole(world_size));
    EXPECT_EQ(read->provenance, samples::provenance());
}

TEST(ParallelResult, IsTheSameWhenProcessesHoldConsecutiveRanks) {
    const std::int64_t per_process = 20'000 / processes() + 1;
    expect_same_as_serial("blocks", 20'000, [&](std::int64_t r) { return r / per_process; });
}

TEST(ParallelResult, IsTheSameWhenRanksAreDealtOut) {
    expect_same_as_serial("dealt", 20'000, [](std::int64_t r) { return r % processes(); });
}

// 8 x 8 x ... placements hold the tensor groups of some stages: runs of 8 in no simple order.
TEST(ParallelResult, IsTheSameWhenRanksLieInAnyOrder) {
    expect_same_as_serial("any", 9'000,
                          [](std::int64_t r) { return (r / 8 * 2654435761) % 97 % processes(); });
}

TEST(ParallelResult, IsTheSameWhenTheLastProcessHoldsEverything) {
    expect_same_as_serial("last", 5'000, [](std::int64_t) { return processes() - 1; });
}

// Fewer ranks than fill one chunk: all but one process write nothing.
TEST(ParallelResult, IsTheSameForASmallJob) {
    expect_same_as_serial("small", 16, [](std::int64_t r) { return r % processes(); });
}

// MPI counts the bytes of a call in an int. 20,000 ranks are 5 chunks of 4,096, of which the
// processes hold different numbers; a chunk of int64 values has 32 KiB.
TEST(ParallelResult, IsTheSameHoweverSmallThePiecesAre) {
    const SharedFolder folder{"pieces"};
    const auto data = share(20'000, [](std::int64_t r) { return r % processes(); });
    ASSERT_TRUE(write_result(folder.file("whole.h5"), data, samples::provenance(), world()));
    for (const std::size_t bytes : {1, 40'000, 70'000, 200'000}) {
        const auto path = folder.file("pieces.h5");

        const auto written =
            write_result(path, data, samples::provenance(), world_in_pieces(bytes));

        ASSERT_TRUE(written.has_value()) << written.error().message;
        const auto read = read_result(path);
        ASSERT_TRUE(read.has_value()) << read.error().message;
        EXPECT_TRUE(read->data == whole(20'000)) << bytes;
        EXPECT_EQ(std::filesystem::file_size(path),
                  std::filesystem::file_size(folder.file("whole.h5")));
        MPI_Barrier(MPI_COMM_WORLD);  // nobody writes again while another reads
    }
}

// Few ranks, many iterations: pieces are cut along the iterations, whose chunks are deep.
TEST(ParallelResult, IsTheSameInPiecesOfManyIterations) {
    const SharedFolder folder{"deep"};
    auto data = samples::result_tables(16, 10'000);
    for (std::int64_t rank = process(); rank < 16; rank += processes()) {
        samples::add_rank(data, rank);
    }
    samples::fill_ends(data);

    const auto written =
        write_result(folder.file("r.h5"), data, samples::provenance(), world_in_pieces(600'000));

    ASSERT_TRUE(written.has_value()) << written.error().message;
    const auto read = read_result(folder.file("r.h5"));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    auto all = samples::result(16, 10'000);
    all.timeline.clear();
    EXPECT_TRUE(read->data == all);
}

// Millions of ranks make an index of chunks that outgrows HDF5's cache of metadata. Here it is
// families that make the chunks, one each.
TEST(ParallelResult, IsTheSameWithMoreChunksThanTheCacheHoldsTheIndexOf) {
    const SharedFolder folder{"chunks"};
    auto data = samples::result_tables(16, 1);
    data.families.resize(40'000, data.families.front());
    for (StageRow& stage : data.stages) {
        stage.communication_ps.resize(data.families.size());
        stage.skew_ps.resize(data.families.size());
    }
    auto all = data;
    for (std::int64_t rank = 0; rank < 16; ++rank) {
        samples::add_rank(all, rank);
        if (rank % processes() == process()) {
            samples::add_rank(data, rank);
        }
    }
    samples::fill_ends(all);
    samples::fill_ends(data);

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance(), world());

    ASSERT_TRUE(written.has_value()) << written.error().message;
    const auto read = read_result(folder.file("r.h5"));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_TRUE(read->data == all);
}

TEST(ParallelResult, KeepsTheTablesOfTheFirstProcess) {
    const SharedFolder folder{"first"};
    auto data = share(64, [](std::int64_t r) { return r % processes(); });
    auto provenance = samples::provenance();
    if (process() != 0) {
        data.summary.mfu = 0;
        data.warnings.clear();
        provenance.machine = "another";
    }

    ASSERT_TRUE(write_result(folder.file("r.h5"), data, provenance, world()));

    const auto read = read_result(folder.file("r.h5"));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    EXPECT_EQ(read->data.summary.mfu, 0.435);
    EXPECT_EQ(read->data.warnings.size(), 1U);
    EXPECT_EQ(read->provenance.machine, "node17");
}

TEST(ParallelResult, IsRefusedOnAllProcessesWhenARankIsMissing) {
    const SharedFolder folder{"missing"};
    const auto data =
        share(64, [](std::int64_t r) { return r == 17 ? -1 : static_cast<int>(r % processes()); });

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance(), world());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::internal);
    EXPECT_THAT(written.error().message, testing::HasSubstr("virtual rank 17"));
    EXPECT_FALSE(std::filesystem::exists(folder.file("r.h5")));
}

TEST(ParallelResult, IsRefusedOnAllProcessesWhenOneHasOtherTables) {
    if (processes() == 1) {
        GTEST_SKIP() << "one process cannot disagree";
    }
    const SharedFolder folder{"disagree"};
    auto data = samples::result_tables(64, process() == 1 ? 3 : 2);

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance(), world());

    ASSERT_FALSE(written.has_value());
    EXPECT_THAT(written.error().message, testing::HasSubstr("process 1 has other table sizes"));
}

TEST(ParallelResult, TellsAllProcessesWhenItsPlaceDoesNotExist) {
    const SharedFolder folder{"no-place"};
    const auto data = share(64, [](std::int64_t r) { return r % processes(); });

    const auto written =
        write_result(folder.file("missing/r.h5"), data, samples::provenance(), world());

    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::system);
    EXPECT_THAT(written.error().message, testing::HasSubstr("No such file or directory"));
}

TEST(ParallelResult, TellsAllProcessesWhenTheDiskIsFullBeforeTheFirstTable) {
    const SharedFolder folder{"full"};
    const auto data = share(64, [](std::int64_t r) { return r % processes(); });
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    ::getrlimit(RLIMIT_FSIZE, &before);
    const rlimit small{5000, before.rlim_max};
    if (process() == 0) {
        ::setrlimit(RLIMIT_FSIZE, &small);
    }

    const auto written = write_result(folder.file("r.h5"), data, samples::provenance(), world());

    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(written.has_value());
    EXPECT_EQ(written.error().code, ErrorCode::resources);
    EXPECT_FALSE(samples::has_unfinished_file(folder.file("r.h5")));
}

// The yardstick of docs/reference/formats/result.md, with room for a busy machine.
TEST(ParallelResult, OfALargeJobIsSmallAndQuick) {
    constexpr std::int64_t ranks = 131'072;
    const SharedFolder folder{"large"};
    const auto data = share(ranks, [](std::int64_t r) { return r / 8 % processes(); });

    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    const auto written = write_result(folder.file("r.h5"), data, samples::provenance(), world());
    const double seconds = MPI_Wtime() - start;

    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_LT(seconds, 5.0);
    EXPECT_LT(std::filesystem::file_size(folder.file("r.h5")), 8'000'000U);
    if (process() == 0) {
        RecordProperty("write_seconds", std::to_string(seconds));
    }
}

}  // namespace
}  // namespace prismllm::store
