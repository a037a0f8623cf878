#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# Install what PrismLLM needs and this machine lacks. Quick and silent when nothing is missing.
#
#   install_dependencies.sh [--tests]     --tests: also what the tests need
#
# Debian 12, Ubuntu 24.04 and newer: with apt-get. Elsewhere the tools must be there already, from
# the Spack environment spack/envs/cpu or from the site's modules.
set -euo pipefail

build=(g++ cmake ninja-build pkgconf libopenmpi-dev openmpi-bin libhdf5-openmpi-dev libhwloc-dev
    libfmt-dev libexpected-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev
    libtrilinos-kokkos-dev libopenblas-serial-dev)
tests=(libgtest-dev libgmock-dev python3 python3-h5py)
# Without these, single tests are skipped and say so.
optional_tests=(clang-format-14 shellcheck tcl)
# The test of the Slurm job script starts a Slurm of its own. Its packages would start services on
# a machine that runs services, and clash with a Slurm that did not come from them.
slurm_tests=(munge slurm-wlm)
updated=

die() {
    printf 'install_dependencies.sh: %s\n' "$*" >&2
    exit 5
}

usage() {
    sed -n '/^# Install what/,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
}

# Those of the packages in the arguments that are not installed, one a line.
missing_of() {
    local installed
    installed=$(dpkg-query --show --showformat='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
        sed -n 's/ installed$//p') || true
    comm -23 <(printf '%s\n' "$@" | sort -u) <(printf '%s\n' "$installed" | sort -u)
}

wants_slurm() {
    [[ $(id -u) -eq 0 && ! -d /run/systemd/system ]] &&
        ! { command -v sbatch && command -v munged; } >/dev/null
}

# The tools of a machine without apt-get; libraries are looked for by CMake.
require_tools() {
    local tool
    for tool in "${CXX:-c++}" cmake ninja pkg-config mpirun; do
        command -v "$tool" >/dev/null ||
            die "$tool is missing (and there is no apt-get to install it with)." \
                "Make and load the Spack environment spack/envs/cpu, or load modules of your site."
    done
}

# The status is that of apt-get.
install_with_apt() {
    local as_root=()
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || die "packages are missing (and neither root nor sudo is" \
            "at hand to install them): $*. Ask the administrator for them."
        as_root=(sudo)
    fi
    printf 'Installing with apt-get: %s\n' "$*" >&2
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
        -o DPkg::Lock::Timeout=300)
    # A mirror may be out of reach while the packages are at hand.
    if [[ -z $updated ]]; then
        "${apt[@]}" update >&2 || printf 'apt-get update failed; trying without it.\n' >&2
        updated=yes
    fi
    "${apt[@]}" install --no-install-recommends "$@" >&2
}

# Without these packages there are tests that skip themselves: nothing here ends the script.
install_optional() {
    local package missing offered=()
    mapfile -t missing < <(missing_of "$@")
    for package in "${missing[@]}"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            offered+=("$package")
        else
            printf 'Not offered here, some tests will be skipped: %s\n' "$package" >&2
        fi
    done
    if ((${#offered[@]} > 0)) && ! (install_with_apt "${offered[@]}"); then
        printf 'Not installed, some tests will be skipped: %s\n' "${offered[*]}" >&2
    fi
}

main() {
    local wanted=("${build[@]}") optional=() missing
    case ${1:-} in
        '') ;;
        --tests)
            wanted+=("${tests[@]}")
            optional=("${optional_tests[@]}")
            if wants_slurm; then
                optional+=("${slurm_tests[@]}")
            fi
            ;;
        -h | --help)
            usage
            return
            ;;
        *)
            printf 'install_dependencies.sh: unknown argument %s.\n' "$1" >&2
            usage >&2
            exit 2
            ;;
    esac
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        require_tools
        return
    fi
    mapfile -t missing < <(missing_of "${wanted[@]}")
    if ((${#missing[@]} > 0)); then
        install_with_apt "${missing[@]}" ||
            die "apt-get could not install: ${missing[*]}. Its messages stand above."
    fi
    if ((${#optional[@]} > 0)); then
        install_optional "${optional[@]}"
    fi
}

main "$@"
