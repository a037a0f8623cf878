#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# On a machine with a CUDA GPU: build, then test every operation against the host, and a real rank
# on the GPU natively against the same rank in an emulation. Ends with "N passed, N failed".
#
#   run.sh [CUDA_ARCHITECTURE]     e.g. run.sh 90; default: that of the first GPU
#
# Exit status 0: all passed; 1: something failed; 77: there is no GPU, and the reason.
# Environment: PRISMLLM_BUILD_DIR  where to build (default: build of this checkout)
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=${PRISMLLM_BUILD_DIR:-$top/build}/device
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
passed=0
failed=0

if ! command -v nvidia-smi >/dev/null || ! nvidia-smi --query-gpu=name,memory.total --format=csv; then
    echo "skipped: nvidia-smi finds no GPU here"
    exit 77
fi
architecture=${1:-$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -n 1 | tr -d .)}

# check NAME COMMAND...
check() {
    local name=$1 begin=$SECONDS
    shift
    printf '\n== %s\n' "$name"
    if "$@"; then
        passed=$((passed + 1))
        printf -- '-- %s: passed, %d s\n' "$name" $((SECONDS - begin))
    else
        failed=$((failed + 1))
        printf -- '-- %s: FAILED (exit %d), %d s\n' "$name" $? $((SECONDS - begin))
    fi
}

cmake -S "$top" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPRISMLLM_ENABLE_CUDA=ON \
    -DCMAKE_CUDA_ARCHITECTURES="$architecture"
cmake --build "$build" --target prismllm prismllm_cuda device_tests

check "every operation, and whole steps, against the host" \
    "$build/tests/device/device_tests" cuda
check "a native rank against the same one in an emulation" \
    "$top/tests/device/native_against_hybrid.py" "$build/src/cli/prismllm"

printf '\n%d passed, %d failed\n' "$passed" "$failed"
[[ $failed -eq 0 ]]
