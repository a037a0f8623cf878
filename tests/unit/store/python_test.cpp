// SPDX-FileCopyrightText: 2026 The PrismLLM authors
// SPDX-License-Identifier: Apache-2.0
/// Our files opened by people's tools: h5py sees a scale on every axis, xarray opens every group.
#include <cstdlib>

#include <gtest/gtest.h>

#include "../../support/store_samples.hpp"

namespace prismllm::store {
namespace {

// The system's python3: modules of other installations are not those of the HDF5 packages.
const std::string python = "/usr/bin/python3";

int run_python(const std::string& arguments) {
    return std::system((python + " " + arguments).c_str());
}

// A graph, a result and a graph with empty tables in one go: Python is slow to start.
TEST(Python, OpensEveryGroupOfOurFiles) {
    if (run_python("-c 'import h5py, xarray, h5netcdf' 2>/dev/null") != 0) {
        GTEST_SKIP() << python << " has no h5py, xarray or h5netcdf";
    }
    const samples::Folder folder{"python"};
    auto sparse = samples::graph();
    sparse.splits.clear();
    sparse.tensors.clear();
    ASSERT_TRUE(write_graph(folder.file("g.h5"), samples::graph(4, 3000), samples::provenance()));
    ASSERT_TRUE(write_graph(folder.file("e.h5"), sparse, Provenance{}));
    ASSERT_TRUE(write_result(folder.file("r.h5"), samples::result(), samples::provenance()));

    EXPECT_EQ(run_python(PRISMLLM_SOURCE_DIR "/tests/unit/store/open_everywhere.py " +
                         folder.file("g.h5").string() + " " + folder.file("e.h5").string() + " " +
                         folder.file("r.h5").string()),
              0);
}

}  // namespace
}  // namespace prismllm::store
