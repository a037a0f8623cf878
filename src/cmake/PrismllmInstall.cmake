# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# Install layout and the CMake package (find_package(PrismLLM COMPONENTS graph ...)).
# The installed tree can be moved: nothing in it names the prefix.
include(CMakePackageConfigHelpers)

set(PRISMLLM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/PrismLLM)
set(PRISMLLM_SHARE_DIR ${CMAKE_INSTALL_DATADIR}/prismllm)
set(PRISMLLM_LIBRARY_ROOMS ${PRISMLLM_ROOMS})
list(REMOVE_ITEM PRISMLLM_LIBRARY_ROOMS cli)
set(PRISMLLM_LIBRARIES ${PRISMLLM_LIBRARY_ROOMS})
list(TRANSFORM PRISMLLM_LIBRARIES PREPEND prismllm_)

set(PRISMLLM_PLUGINS)
if(PRISMLLM_CUDA)
    set(PRISMLLM_PLUGINS prismllm_cuda)
endif()

# Spack and sites set CMAKE_INSTALL_RPATH themselves; theirs holds then.
if(NOT DEFINED CMAKE_INSTALL_RPATH)
    file(RELATIVE_PATH from_bin_to_lib
        ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
    set_target_properties(prismllm PROPERTIES
        INSTALL_RPATH "$ORIGIN/${from_bin_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
    set_target_properties(${PRISMLLM_LIBRARIES} ${PRISMLLM_PLUGINS} PROPERTIES
        INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
endif()

install(TARGETS prismllm)
if(PRISMLLM_PLUGINS)
    install(TARGETS ${PRISMLLM_PLUGINS} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS ${PRISMLLM_LIBRARIES} EXPORT PrismLLMTargets)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/prismllm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/inputs DESTINATION ${PRISMLLM_SHARE_DIR})
# jobscripts/local builds a checkout; only the scripts that submit an installed program go along.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/jobscripts DESTINATION ${PRISMLLM_SHARE_DIR}
    USE_SOURCE_PERMISSIONS PATTERN local EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CITATION.cff
    DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT PrismLLMTargets NAMESPACE PrismLLM:: DESTINATION ${PRISMLLM_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/PrismLLMConfig.cmake.in
    ${PROJECT_BINARY_DIR}/PrismLLMConfig.cmake INSTALL_DESTINATION ${PRISMLLM_CMAKE_DIR}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PrismLLMConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PrismLLMConfig.cmake
    ${PROJECT_BINARY_DIR}/PrismLLMConfigVersion.cmake
    ${CMAKE_CURRENT_LIST_DIR}/PrismllmDebianKokkos.cmake DESTINATION ${PRISMLLM_CMAKE_DIR})

# `module use <prefix>/share/modulefiles; module load prismllm`
set(module_dir ${CMAKE_INSTALL_DATADIR}/modulefiles/prismllm)
file(RELATIVE_PATH PRISMLLM_MODULE_TO_ROOT /${module_dir} /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/prismllm.modulefile.in
    ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION} @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/modulefiles/${PROJECT_VERSION} DESTINATION ${module_dir})
