#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# Install what is missing, build, run every test tier, then the unit tests again with address and
# undefined-behavior sanitizers. The last line counts: "N passed, N failed, N skipped".
#
#   run.sh [CTEST OPTION...]     e.g. run.sh -L unit
#
# Environment:
#   PRISMLLM_BUILD_DIR       where to build (default: build of this checkout)
#   PRISMLLM_TEST_JOBS       builds and tests at a time (default: one a core)
#   PRISMLLM_SKIP_SANITIZERS set to leave the second part out
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=${PRISMLLM_BUILD_DIR:-$top/build}
jobs=${PRISMLLM_TEST_JOBS:-$(nproc)}
tests=0
failures=0
skipped=0

# One number out of the head of ctest's JUnit file.
count_in() {
    sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*\$/\1/p" "$1" | head -n 1
}

# configure_and_build PRESET [TARGET...]; a build that breaks counts as one failed test.
configure_and_build() {
    local preset=$1 target
    shift
    local targets=()
    for target in "$@"; do
        targets+=(--target "$target")
    done
    printf '\n== %s: configure and build\n' "$preset"
    if ! { cmake -S "$top" -B "$build_root/$preset" --preset "$preset" &&
        cmake --build "$build_root/$preset" --parallel "$jobs" "${targets[@]}"; }; then
        printf '%s does not build.\n' "$preset"
        tests=$((tests + 1))
        failures=$((failures + 1))
        return 1
    fi
}

# run_tests PRESET CTEST_OPTION...
run_tests() {
    local preset=$1 report=$build_root/$1/junit.xml
    shift
    printf '\n== %s: test\n' "$preset"
    rm -f "$report"
    (cd "$build_root/$preset" && ctest --parallel "$jobs" --output-on-failure --no-tests=error \
        --output-junit "$report" "$@") || true
    if [[ ! -s $report ]]; then
        tests=$((tests + 1))
        failures=$((failures + 1))
        return
    fi
    tests=$((tests + $(count_in "$report" tests)))
    failures=$((failures + $(count_in "$report" failures)))
    skipped=$((skipped + $(count_in "$report" skipped) + $(count_in "$report" disabled)))
}

main() {
    "$top/jobscripts/local/install_dependencies.sh" --tests
    # ctest runs several MPI jobs side by side: left alone, all would sit on the first cores.
    export PRISMLLM_BIND=none
    if configure_and_build ci; then
        run_tests ci "$@"
    fi
    if [[ -z ${PRISMLLM_SKIP_SANITIZERS:-} ]] && configure_and_build asan unit_tests; then
        run_tests asan -L unit
    fi
    printf '\n%d passed, %d failed, %d skipped\n' \
        $((tests - failures - skipped)) "$failures" "$skipped"
    ((failures == 0))
}

main "$@"
