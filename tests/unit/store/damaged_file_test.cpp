// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Files that are not what they should be: every one is bad_input with a text that says what is
/// wrong and where; none crashes or makes the reader allocate what the file merely claims.
#include <fstream>
#include <functional>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

using testing::HasSubstr;

std::string text_of(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

void put(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream{path, std::ios::binary}.write(bytes.data(),
                                                static_cast<std::streamsize>(bytes.size()));
}

class DamagedFile : public testing::Test {
protected:
    DamagedFile() {
        EXPECT_TRUE(write_graph(graph_path_, samples::graph(4, 3000), samples::provenance()));
        EXPECT_TRUE(write_result(result_path_, samples::result(), samples::provenance()));
    }

    /// Change a good file through HDF5.
    static void edit(const std::filesystem::path& path, const std::function<void(hid_t)>& change) {
        const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
        ASSERT_GE(file, 0);
        change(file);
        ASSERT_GE(H5Fclose(file), 0);
    }
    void edit_graph(const std::function<void(hid_t)>& change) const { edit(graph_path_, change); }

    static void expect_rejected(const Expected<StoredGraph>& read, const std::string& what) {
        ASSERT_FALSE(read.has_value());
        EXPECT_EQ(read.error().code, ErrorCode::bad_input);
        EXPECT_THAT(read.error().message, HasSubstr(what));
    }
    void expect_graph_rejected(const std::string& what) const {
        const auto read = read_graph(graph_path_);
        expect_rejected(read, what);
        ASSERT_FALSE(read.has_value());
        EXPECT_THAT(read.error().message, HasSubstr(graph_path_.string()));
    }

    static void replace_dataset(hid_t file, const char* name, hid_t type,
                                std::vector<hsize_t> shape) {
        ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0);
        const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
        const hid_t dataset =
            H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        ASSERT_GE(dataset, 0);
        H5Dclose(dataset);
        H5Sclose(space);
    }
    static void replace_text(hid_t file, const char* name, const std::string& value) {
        ASSERT_GE(H5Adelete(file, name), 0);
        const hid_t type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, value.size());
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, value.data());
        H5Aclose(attribute);
        H5Sclose(space);
        H5Tclose(type);
    }
    static void replace_integer(hid_t file, const char* name, std::int64_t value) {
        ASSERT_GE(H5Adelete(file, name), 0);
        const hid_t space = H5Screate(H5S_SCALAR);
        const hid_t attribute =
            H5Acreate2(file, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, H5T_NATIVE_INT64, &value);
        H5Aclose(attribute);
        H5Sclose(space);
    }
    template <class T>
    static void overwrite(hid_t file, const char* name, hid_t type, std::vector<T> values) {
        const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
        ASSERT_GE(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
        H5Dclose(dataset);
    }

    samples::Folder folder_{"damaged"};
    std::filesystem::path graph_path_ = folder_.file("graph.h5");
    std::filesystem::path result_path_ = folder_.file("result.h5");
};

TEST_F(DamagedFile, IsRejectedWhenItDoesNotExist) {
    expect_rejected(read_graph(folder_.file("none.h5")), "there is no such file");
}

TEST_F(DamagedFile, IsRejectedWhenItIsADirectory) {
    expect_rejected(read_graph(std::filesystem::temp_directory_path()), "it is a directory");
}

TEST_F(DamagedFile, IsRejectedWhenItIsAPipe) {
    ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);

    expect_rejected(read_graph(folder_.file("pipe")), "not a regular file");
}

TEST_F(DamagedFile, IsRejectedWhenItMayNotBeRead) {
    if (::geteuid() == 0) {
        GTEST_SKIP() << "root may read every file";
    }
    ::chmod(graph_path_.c_str(), 0);

    expect_graph_rejected("Permission denied");
}

TEST_F(DamagedFile, IsRejectedWhenItIsEmpty) {
    put(graph_path_, "");

    expect_graph_rejected("it is empty");
}

TEST_F(DamagedFile, IsRejectedWhenItIsText) {
    put(graph_path_, "[model]\nname = \"a deck, not a graph\"\n");

    expect_graph_rejected("it is not an HDF5 file");
}

TEST_F(DamagedFile, IsRejectedWhenAnotherProgramWroteIt) {
    const hid_t file = H5Fcreate(graph_path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);

    expect_graph_rejected("another program");
}

TEST_F(DamagedFile, IsRejectedWhenItIsAResult) {
    expect_rejected(read_graph(result_path_), "its format is 'prismllm.result'");
}

TEST_F(DamagedFile, IsRejectedAtEveryLengthItIsCutTo) {
    const auto whole = text_of(graph_path_);
    const std::size_t step = whole.size() / 100 + 1;
    for (std::size_t length = 0; length < whole.size(); length += step) {
        put(graph_path_, whole.substr(0, length));

        const auto read = read_graph(graph_path_);

        ASSERT_FALSE(read.has_value()) << length;
        ASSERT_EQ(read.error().code, ErrorCode::bad_input) << length;
    }
}

TEST_F(DamagedFile, IsRejectedAtEveryLengthOfAResultAndOfAnImage) {
    const auto whole = text_of(result_path_);
    const auto image = graph_image(samples::graph(), samples::provenance());
    for (std::size_t part = 0; part < 100; ++part) {
        put(result_path_, whole.substr(0, whole.size() * part / 100));

        EXPECT_FALSE(read_result(result_path_).has_value()) << part;
        EXPECT_FALSE(
            graph_from_image(std::span{image}.first(image.size() * part / 100)).has_value())
            << part;
    }
}

// HDF5 checks neither its metadata nor plain data: a changed byte may go unseen, but whatever
// comes out must be a consistent graph or bad_input.
TEST_F(DamagedFile, NeverCrashesTheReaderWhenBytesAreOverwritten) {
#ifdef PRISMLLM_SANITIZED
    GTEST_SKIP() << "HDF5 itself asks for absurd sizes, which sanitizers end the program for";
#endif
    const auto whole = text_of(graph_path_);
    std::size_t rejected = 0;
    for (std::size_t i = 0; i < 120; ++i) {
        auto bytes = whole;
        // Half of the places lie in the first 4 KiB, where the file's structure begins.
        const std::size_t place = i % 2 == 0 ? (i * 7919) % 4096 : (i * 104729) % whole.size();
        bytes[place] = static_cast<char>(bytes[place] ^ static_cast<char>(1U << (i % 8)));
        put(graph_path_, bytes);

        const auto read = read_graph(graph_path_);

        if (!read) {
            ++rejected;
            ASSERT_EQ(read.error().code, ErrorCode::bad_input);
        } else {
            ASSERT_TRUE(graph::check_consistent(read->graph).has_value());
        }
    }
    EXPECT_GT(rejected, 0U);
}

TEST_F(DamagedFile, NamesAMissingDataset) {
    edit_graph([](hid_t file) { H5Ldelete(file, "/ops/index", H5P_DEFAULT); });

    expect_graph_rejected("dataset '/ops/index' is missing");
}

TEST_F(DamagedFile, NamesARenamedGroup) {
    edit_graph(
        [](hid_t file) { H5Lmove(file, "/rank_runs", file, "/runs", H5P_DEFAULT, H5P_DEFAULT); });

    expect_graph_rejected("group '/rank_runs' is missing");
}

TEST_F(DamagedFile, NamesAMissingAttribute) {
    edit_graph([](hid_t file) { H5Adelete_by_name(file, "/job", "eager_bytes", H5P_DEFAULT); });

    expect_graph_rejected("attribute '/job/eager_bytes' is missing");
}

TEST_F(DamagedFile, NamesADatasetOfAnotherType) {
    edit_graph(
        [](hid_t file) { replace_dataset(file, "/kernels/traffic_bytes", H5T_IEEE_F32LE, {2}); });

    expect_graph_rejected("dataset '/kernels/traffic_bytes' is not of type int64");
}

TEST_F(DamagedFile, NamesADatasetOfAnotherShape) {
    edit_graph([](hid_t file) { replace_dataset(file, "/kernels/shape", H5T_STD_I64LE, {2, 6}); });

    expect_graph_rejected("'/kernels/shape' has the shape [2, 6], [2, 7] is needed");
}

TEST_F(DamagedFile, NamesAnAttributeOfAnotherType) {
    edit_graph([](hid_t file) {
        const hid_t root = H5Gopen2(file, "/job", H5P_DEFAULT);
        replace_text(root, "world_size", "4");
        H5Gclose(root);
    });

    expect_graph_rejected("attribute '/job/world_size' has another type");
}

TEST_F(DamagedFile, NamesAGroupInPlaceOfADataset) {
    edit_graph([](hid_t file) {
        H5Ldelete(file, "/ops/stream", H5P_DEFAULT);
        H5Gclose(H5Gcreate2(file, "/ops/stream", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    });

    expect_graph_rejected("'/ops/stream' is not a dataset");
}

TEST_F(DamagedFile, NamesADatasetThatWasNeverWritten) {
    edit_graph(
        [](hid_t file) { replace_dataset(file, "/kernels/traffic_bytes", H5T_STD_I64LE, {2}); });

    expect_graph_rejected("dataset '/kernels/traffic_bytes' was never written");
}

TEST_F(DamagedFile, NamesAnUnknownEnumerator) {
    edit_graph([](hid_t file) {
        overwrite<std::uint8_t>(file, "/kernels/kind", H5T_NATIVE_UINT8, {0, 21});
    });

    expect_graph_rejected("dataset '/kernels/kind' holds the value 21 (only 21 are known)");
}

TEST_F(DamagedFile, NamesOffsetsThatRunBackwards) {
    edit_graph([](hid_t file) {
        overwrite<std::int64_t>(file, "/classes/op_offsets", H5T_NATIVE_INT64, {0, 9999, 6010});
    });

    expect_graph_rejected("offsets '/classes/op_offsets' do not run from 0");
}

// The tables are sound one by one; graph::check_consistent sees that op 0 of a class names
// tensor 1,000,000 of 2.
TEST_F(DamagedFile, IsCheckedForConsistency) {
    auto graph = samples::graph();
    graph.classes[0].ops[0].index = 1'000'000;
    ASSERT_TRUE(write_graph(graph_path_, graph, samples::provenance()));

    const auto read = read_graph(graph_path_);

    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, ErrorCode::bad_input);
}

TEST_F(DamagedFile, IsRejectedWhenItClaimsMoreRanksThanAnyJobHas) {
    edit_graph([](hid_t file) {
        const hid_t job = H5Gopen2(file, "/job", H5P_DEFAULT);
        replace_integer(job, "world_size", std::int64_t{1} << 60);
        H5Gclose(job);
    });

    expect_graph_rejected("attribute '/job/world_size' is 1152921504606846976");
}

// One trillion rows in a file of a few kilobytes: of /ops, /kernels and a blob of names.
TEST_F(DamagedFile, IsRejectedBeforeAnythingIsAllocatedForAbsurdSizes) {
    constexpr hsize_t trillion = 1'000'000'000'000;
    const std::vector<std::pair<const char*, const char*>> tables{
        {"/ops/op", "/ops/kind"},
        {"/kernels/kernel", "/kernels/kind"},
        {"/tensors/name_byte", "/tensors/name_bytes"}};
    rusage before{}, after{};
    ::getrusage(RUSAGE_SELF, &before);
    for (const auto& [dimension, column] : tables) {
        ASSERT_TRUE(write_graph(graph_path_, samples::graph(), samples::provenance()));
        edit_graph([dimension = dimension, column = column](hid_t file) {
            replace_dataset(file, dimension, H5T_STD_U8LE, {trillion});
            replace_dataset(file, column, H5T_STD_U8LE, {trillion});
        });

        expect_graph_rejected("claims 1000000000000 values");
    }
    ::getrusage(RUSAGE_SELF, &after);
    EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000);  // KiB
}

TEST_F(DamagedFile, NamesBothSchemaVersionsWhenItsMajorIsAnother) {
    edit_graph([](hid_t file) { replace_text(file, "schema_version", "2.0.0"); });

    expect_graph_rejected("its schema version is 2.0.0, this program reads 1.x");
}

TEST_F(DamagedFile, IsReadWhenOnlyItsMinorIsNewer) {
    edit_graph([](hid_t file) { replace_text(file, "schema_version", "1.7.3"); });

    EXPECT_TRUE(read_graph(graph_path_).has_value());
}

TEST_F(DamagedFile, IsRejectedWhenItsVersionIsNoVersion) {
    for (const char* version : {"one", "1", "-1.0.0", "99999999999.0"}) {
        edit_graph([&](hid_t file) { replace_text(file, "schema_version", version); });

        expect_graph_rejected(version);
    }
}

TEST_F(DamagedFile, NamesTheBrokenColumnOfAResult) {
    edit(result_path_, [](hid_t file) { H5Ldelete(file, "/results/ranks/skew_ps", H5P_DEFAULT); });

    const auto read = read_result(result_path_);

    ASSERT_FALSE(read.has_value());
    EXPECT_EQ(read.error().code, ErrorCode::bad_input);
    EXPECT_THAT(read.error().message, HasSubstr("'/results/ranks/skew_ps' is missing"));
}

TEST_F(DamagedFile, NamesATimelineEntryWithoutAName) {
    edit(result_path_, [](hid_t file) {
        overwrite<std::int32_t>(file, "/trace/ops/name", H5T_NATIVE_INT32,
                                std::vector<std::int32_t>(16, 2));
    });

    const auto read = read_result(result_path_);

    ASSERT_FALSE(read.has_value());
    EXPECT_THAT(read.error().message, HasSubstr("entry 0 of '/trace/ops'"));
}

TEST_F(DamagedFile, DoesNotMakeHdf5PrintItsErrorStack) {
    put(graph_path_, text_of(graph_path_).substr(0, 3000));

    testing::internal::CaptureStderr();
    EXPECT_FALSE(read_graph(graph_path_).has_value());
    edit(result_path_, [](hid_t file) { H5Ldelete(file, "/summary", H5P_DEFAULT); });
    EXPECT_FALSE(read_result(result_path_).has_value());

    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace prismllm::store
