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
find_package(Kokkos 3.4 CONFIG REQUIRED)
if(TARGET trilinos_kokkoscore)
    # Debian has Kokkos as a part of Trilinos, with a path to headers that does not exist.
    find_path(PRISMLLM_KOKKOS_INCLUDE Kokkos_Core.hpp PATH_SUFFIXES trilinos REQUIRED)
    mark_as_advanced(PRISMLLM_KOKKOS_INCLUDE)
    set_target_properties(Kokkos::kokkos PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${PRISMLLM_KOKKOS_INCLUDE}
        INTERFACE_LINK_LIBRARIES "trilinos_kokkoscontainers;trilinos_kokkoscore")
endif()
find_package(BLAS REQUIRED)
find_path(PRISMLLM_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas)
mark_as_advanced(PRISMLLM_CBLAS_INCLUDE)
if(NOT PRISMLLM_CBLAS_INCLUDE)
    message(FATAL_ERROR "cblas.h is missing (real ranks multiply matrices with a BLAS). Install "
                        "libopenblas-serial-dev or openblas, or set PRISMLLM_CBLAS_INCLUDE.")
endif()
if(BUILD_TESTING)
    find_package(GTest REQUIRED)
endif()
if(PRISMLLM_ENABLE_BENCHMARKS)
    find_package(benchmark REQUIRED)
endif()
