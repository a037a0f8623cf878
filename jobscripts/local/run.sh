#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# From a fresh checkout to a result on this machine: install what is missing, build, run.
#
#   run.sh [DECK] [-- OPTION...]
#
#   DECK      input deck (default: inputs/decks/llama3.1_405b_h100_8192.toml of this checkout)
#   OPTION    options of `prismllm run`, e.g. --json or --set emulation.iterations=3
#
# Environment:
#   PRISMLLM_BUILD_DIR    where to build (default: build/release of this checkout)
#   PRISMLLM_PROCESSES    MPI processes (default: one a core, at most 3)
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=${PRISMLLM_BUILD_DIR:-$top/build/release}
program=$build_dir/src/cli/prismllm

usage() {
    sed -n '/^#   run.sh/,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

configure() {
    cmake -S "$top" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF >&2 &&
        return
    rm -f "$build_dir/build.ninja"
    printf 'run.sh: cannot configure the build (see above). Where libraries are missing, %s\n' \
        'make and load the Spack environment spack/envs/cpu.' >&2
    exit 5
}

# Silent when there is nothing to do.
build() {
    if [[ ! -e $build_dir/build.ninja ]]; then
        printf 'Configuring and building in %s (once; a few minutes).\n' "$build_dir" >&2
        configure
    fi
    if [[ $(ninja -C "$build_dir" -n prismllm) != *'no work to do'* ]]; then
        cmake --build "$build_dir" --target prismllm >&2
    fi
}

# Given by environment, so that no flag depends on whose mpirun it is. Cores may be fewer than
# processes, prismllm pins its processes itself, and on one machine shared memory is enough: it
# starts quicker than with a look for networks. What the user has set holds.
prepare_mpi() {
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_rmaps_base_oversubscribe=${OMPI_MCA_rmaps_base_oversubscribe:-1}
    export OMPI_MCA_hwloc_base_binding_policy=${OMPI_MCA_hwloc_base_binding_policy:-none}
    export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader}
    export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}
    export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
    local mapping=${PRTE_MCA_rmaps_default_mapping_policy:-:oversubscribe}
    export PRTE_MCA_rmaps_default_mapping_policy=$mapping
    export PRTE_MCA_hwloc_default_binding_policy=${PRTE_MCA_hwloc_default_binding_policy:-none}
}

main() {
    local deck=$top/inputs/decks/llama3.1_405b_h100_8192.toml cores
    case ${1:-} in
        -h | --help)
            usage
            exit 0
            ;;
        '' | --) ;;
        *)
            deck=$1
            shift
            ;;
    esac
    if (($# > 0)) && [[ $1 != -- ]]; then
        printf 'run.sh: unexpected argument %s (options of prismllm follow a --).\n' "$1" >&2
        usage >&2
        exit 2
    fi
    "$top/jobscripts/local/install_dependencies.sh"
    build
    prepare_mpi
    cores=$(nproc)
    exec mpirun -np "${PRISMLLM_PROCESSES:-$((cores < 3 ? cores : 3))}" \
        "$program" run "$deck" "${@:2}"
}

main "$@"
