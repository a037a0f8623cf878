# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# After find_package(Kokkos), here and in the package of an installed static library.
if(TARGET trilinos_kokkoscore)
    # Debian has Kokkos as a part of Trilinos, with a path to headers that does not exist.
    find_path(PRISMLLM_KOKKOS_INCLUDE Kokkos_Core.hpp PATH_SUFFIXES trilinos REQUIRED)
    mark_as_advanced(PRISMLLM_KOKKOS_INCLUDE)
    set_target_properties(Kokkos::kokkos PROPERTIES
        INTERFACE_INCLUDE_DIRECTORIES ${PRISMLLM_KOKKOS_INCLUDE}
        INTERFACE_LINK_LIBRARIES "trilinos_kokkoscontainers;trilinos_kokkoscore")
endif()
