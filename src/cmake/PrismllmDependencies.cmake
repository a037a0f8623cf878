# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# Every external library, found once. Nothing is downloaded.
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.0 REQUIRED COMPONENTS CXX)
if(PROJECT_BINARY_DIR MATCHES " ")
    message(FATAL_ERROR "the build folder ${PROJECT_BINARY_DIR} has a blank in its path (CMake's "
                        "FindHDF5 cannot work there). Build in another folder.")
endif()
set(HDF5_PREFER_PARALLEL ON)
find_package(HDF5 1.10 REQUIRED COMPONENTS C HL)
if(NOT HDF5_IS_PARALLEL)
    message(FATAL_ERROR "HDF5 was built without MPI (results are written collectively). "
                        "Install libhdf5-openmpi-dev or hdf5+mpi+hl, or set HDF5_ROOT to one.")
endif()
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc>=2.7)
find_package(fmt REQUIRED)
find_package(tl-expected REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
if(BUILD_TESTING)
    find_package(GTest REQUIRED)
endif()
if(PRISMLLM_ENABLE_BENCHMARKS)
    find_package(benchmark REQUIRED)
endif()
