# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# One library a room and one executable a test suite, all built alike.

add_library(prismllm_options INTERFACE)
target_compile_options(prismllm_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -ffp-contract=off
    $<$<BOOL:${PRISMLLM_WARNINGS_AS_ERRORS}>:-Werror>>)
target_compile_definitions(prismllm_options INTERFACE
    $<$<BOOL:${PRISMLLM_CHECKS}>:PRISMLLM_CHECKS>)
if(PRISMLLM_SANITIZE)
    target_compile_definitions(prismllm_options INTERFACE PRISMLLM_SANITIZED)
    target_compile_options(prismllm_options INTERFACE
        -fsanitize=${PRISMLLM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(prismllm_options INTERFACE -fsanitize=${PRISMLLM_SANITIZE})
endif()

# Some files at a time as one (the sanitizer presets, which would take too long otherwise). APART:
# names local to files of the target repeat in others of them.
if(CMAKE_UNITY_BUILD)
    target_compile_options(prismllm_options INTERFACE -Wno-shadow)
endif()
function(prismllm_apart TARGET APART)
    if(APART)
        set_target_properties(${TARGET} PROPERTIES UNITY_BUILD OFF)
    endif()
endfunction()

# prismllm_room(NAME [APART] SOURCES a.cpp ... ROOMS base ... [LINKS fmt::fmt ...])
# ROOMS are public dependencies on other rooms, LINKS private external libraries.
function(prismllm_room NAME)
    cmake_parse_arguments(PARSE_ARGV 1 R "APART" "" "SOURCES;ROOMS;LINKS")
    add_library(prismllm_${NAME} ${R_SOURCES})
    add_library(PrismLLM::${NAME} ALIAS prismllm_${NAME})
    prismllm_apart(prismllm_${NAME} ${R_APART})
    target_include_directories(prismllm_${NAME} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    set(rooms ${R_ROOMS})
    list(TRANSFORM rooms PREPEND prismllm_)
    target_link_libraries(prismllm_${NAME} PUBLIC ${rooms} PRIVATE ${R_LINKS}
        $<BUILD_INTERFACE:prismllm_options>)
    set_target_properties(prismllm_${NAME} PROPERTIES EXPORT_NAME ${NAME}
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

# Code of tests runs once: optimizing it takes longer. What it tests is optimized.
set(PRISMLLM_TEST_OPTIONS -O0 CACHE STRING "Compiler options of test code, behind all others")

# prismllm_unit_test(ROOM [APART] SOURCES a_test.cpp ... ROOMS ... [LINKS ...]): executable
# unit_<ROOM>.
# The target unit_tests builds them all and nothing else (for sanitizer builds).
function(prismllm_unit_test ROOM)
    cmake_parse_arguments(PARSE_ARGV 1 T "APART" "" "SOURCES;ROOMS;LINKS")
    add_executable(unit_${ROOM} ${T_SOURCES})
    prismllm_apart(unit_${ROOM} ${T_APART})
    set(rooms ${T_ROOMS})
    list(TRANSFORM rooms PREPEND prismllm_)
    target_link_libraries(unit_${ROOM} PRIVATE ${rooms} ${T_LINKS} GTest::gtest_main GTest::gmock
        prismllm_options)
    target_compile_options(unit_${ROOM} PRIVATE ${PRISMLLM_TEST_OPTIONS})
    target_compile_definitions(unit_${ROOM} PRIVATE
        PRISMLLM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PRISMLLM_BINARY_DIR="${PROJECT_BINARY_DIR}")
    if(NOT TARGET unit_tests)
        add_custom_target(unit_tests)
    endif()
    add_dependencies(unit_tests unit_${ROOM})
    add_test(NAME unit.${ROOM} COMMAND unit_${ROOM})
    set(known_leaks ${PROJECT_SOURCE_DIR}/tests/support/leaks.supp)
    set(environment "LSAN_OPTIONS=suppressions=${known_leaks}:print_suppressions=0")
    if(PRISMLLM_SANITIZE)
        # A library behind this plug-in of hwloc loses 1 KB, and is gone when leaks are named.
        list(APPEND environment "HWLOC_COMPONENTS=-pci")
    endif()
    set_tests_properties(unit.${ROOM} PROPERTIES LABELS unit TIMEOUT 120
        ENVIRONMENT "${environment}")
endfunction()

set(PRISMLLM_MPI_TEST_ENVIRONMENT
    "OMPI_ALLOW_RUN_AS_ROOT=1;OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1;OMPI_MCA_mpi_yield_when_idle=1"
    "OMPI_MCA_btl=self,vader;OMPI_MCA_btl_vader_single_copy_mechanism=none;OMP_NUM_THREADS=1")

# prismllm_mpi_test(NAME SOURCES ... ROOMS ... [PROCESSES 1 2 4]): runs on each process count.
# tests/support/mpi_main.cpp supplies main: it fails if any process fails or no test ran.
function(prismllm_mpi_test NAME)
    cmake_parse_arguments(PARSE_ARGV 1 T "" "" "SOURCES;ROOMS;LINKS;PROCESSES")
    if(NOT T_PROCESSES)
        set(T_PROCESSES 1 2 4)
    endif()
    add_executable(mpi_${NAME} ${T_SOURCES} ${PROJECT_SOURCE_DIR}/tests/support/mpi_main.cpp)
    set(rooms ${T_ROOMS})
    list(TRANSFORM rooms PREPEND prismllm_)
    target_link_libraries(mpi_${NAME} PRIVATE ${rooms} ${T_LINKS} GTest::gtest MPI::MPI_CXX
        prismllm_options)
    target_compile_options(mpi_${NAME} PRIVATE ${PRISMLLM_TEST_OPTIONS})
    target_compile_definitions(mpi_${NAME} PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX
        PRISMLLM_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PRISMLLM_BINARY_DIR="${PROJECT_BINARY_DIR}")
    foreach(np IN LISTS T_PROCESSES)
        add_test(NAME mpi.${NAME}.np${np}
            COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np} ${PRISMLLM_MPIEXEC_FLAGS}
                    $<TARGET_FILE:mpi_${NAME}>)
        set_tests_properties(mpi.${NAME}.np${np} PROPERTIES LABELS mpi PROCESSORS ${np}
            TIMEOUT 120 ENVIRONMENT "${PRISMLLM_MPI_TEST_ENVIRONMENT}")
    endforeach()
endfunction()
