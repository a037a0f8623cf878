# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
# The CUDA language and cuBLAS, where there is a toolkit. Sets PRISMLLM_CUDA.
set(PRISMLLM_ENABLE_CUDA AUTO CACHE STRING
    "Build the plug-in that runs real ranks on GPUs: AUTO (where there is a CUDA toolkit), ON, OFF")
set_property(CACHE PRISMLLM_ENABLE_CUDA PROPERTY STRINGS AUTO ON OFF)

set(PRISMLLM_CUDA OFF)
function(prismllm_without_cuda WHY)
    if(PRISMLLM_ENABLE_CUDA STREQUAL "AUTO")
        message(STATUS "No CUDA plug-in: ${WHY}")
    else()
        message(FATAL_ERROR "${WHY} (PRISMLLM_ENABLE_CUDA is ${PRISMLLM_ENABLE_CUDA}). Put nvcc on "
                            "PATH or set CUDACXX to it, or set PRISMLLM_ENABLE_CUDA=OFF.")
    endif()
endfunction()

if(PRISMLLM_SANITIZE AND PRISMLLM_ENABLE_CUDA STREQUAL "AUTO")
    prismllm_without_cuda("sanitizers do not see what a GPU does")
elseif(PRISMLLM_ENABLE_CUDA)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
        set(CMAKE_CUDA_ARCHITECTURES 80-real 90)  # code for A100 and H100, PTX for what follows
    endif()
    include(CheckLanguage)
    check_language(CUDA)
    if(NOT CMAKE_CUDA_COMPILER)
        prismllm_without_cuda("there is no CUDA compiler")
    else()
        enable_language(CUDA)
        if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know nvcc's C++20
            set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
            set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
        endif()
        set(CMAKE_CUDA_STANDARD 20)
        set(CMAKE_CUDA_STANDARD_REQUIRED ON)
        find_package(CUDAToolkit 12)
        if(NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cudart_static)
            prismllm_without_cuda("the CUDA toolkit lacks cuBLAS or the static runtime")
        else()
            set(PRISMLLM_CUDA ON)
            find_path(PRISMLLM_NCCL_INCLUDE nccl.h HINTS ${CUDAToolkit_INCLUDE_DIRS}
                ENV NCCL_HOME PATH_SUFFIXES include)
            find_library(PRISMLLM_NCCL_LIBRARY nccl HINTS ${CUDAToolkit_LIBRARY_DIR}
                ENV NCCL_HOME PATH_SUFFIXES lib lib64)
            mark_as_advanced(PRISMLLM_NCCL_INCLUDE PRISMLLM_NCCL_LIBRARY)
            if(NOT PRISMLLM_NCCL_INCLUDE OR NOT PRISMLLM_NCCL_LIBRARY)
                set(PRISMLLM_NCCL_LIBRARY PRISMLLM_NCCL_LIBRARY-NOTFOUND)
                message(STATUS "No NCCL: real ranks on GPUs exchange payloads through the host. "
                               "Set NCCL_HOME to where it is")
            endif()
        endif()
    endif()
endif()
