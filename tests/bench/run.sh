#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# Speed and memory on this machine: the engine alone, the main job, and 131,072 ranks. Wants a
# quiet machine with at least 2 cores.
#
#   run.sh        Environment: PRISMLLM_BUILD_DIR (default: build/bench of this checkout)
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build_dir=${PRISMLLM_BUILD_DIR:-$top/build/bench}
deck=$top/inputs/decks/llama3.1_405b_h100_8192.toml
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake -S "$top" -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DPRISMLLM_ENABLE_BENCHMARKS=ON \
    >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$build_dir" --target prismllm bench_engine >"$work/build.log" ||
    { cat "$work/build.log"; exit 1; }
prismllm=$build_dir/src/cli/prismllm

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1

key() { # key NAME FILE: one number of a JSON report
    sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$2" | head -n 1
}

echo "== the engine alone, one core, on the op lists of the 405B deck"
"$prismllm" slice "$deck" -o "$work/405b.graph.h5"
du -b "$work/405b.graph.h5" | awk '{print "graph file: " $1 " bytes"}'
taskset -c 0 "$(find "$build_dir" -name bench_engine -type f)" "$work/405b.graph.h5" \
    --benchmark_repetitions=5 --benchmark_report_aggregates_only=true

echo "== prismllm run of the 405B deck, 3 processes, 5 times"
for _ in 1 2 3 4 5; do
    begin=$(date +%s.%N)
    mpirun -np 3 "$prismllm" run "$deck" --json --run-dir "$work" >"$work/run.json"
    end=$(date +%s.%N)
    awk -v b="$begin" -v e="$end" -v s="$(key slicing_wall_s "$work/run.json")" \
        -v n="$(key engine_wall_s "$work/run.json")" -v t="$(key total_wall_s "$work/run.json")" \
        -v p="$(key state_bytes_per_participant "$work/run.json")" 'BEGIN {
            printf "mpirun start to end %.2f s; inside: total %.2f s, slicing %.2f s, engine %.2f s; %.0f bytes of state a participant\n", e - b, t, s, n, p }'
done

echo "== 131,072 ranks: the same deck with 1,024 data-parallel replicas, 3 processes"
# Every process reports its own peak; the sum is an upper bound of what all held at once.
cat >"$work/timed" <<EOF
#!/bin/bash
exec /usr/bin/python3 - "\$@" <<'PY'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open("$work/peak.%d" % os.getpid(), "w").write("%d\n" % peak)
sys.exit(code)
PY
EOF
chmod +x "$work/timed"
begin=$(date +%s.%N)
mpirun -np 3 "$work/timed" "$prismllm" run "$deck" --json --run-dir "$work" \
    --set parallel.world_size=131072 --set training.global_batch_size=32768 >"$work/large.json"
end=$(date +%s.%N)
cat "$work"/peak.* | awk -v b="$begin" -v e="$end" '{ sum += $1 }
    END { printf "wall %.2f s, peak resident memory of all processes %.0f MiB\n", e - b, sum / 1024 }'
printf 'ranks %s, participant ops %s, engine %s s\n' "$(key world_size "$work/large.json")" \
    "$(key participant_ops "$work/large.json")" "$(key engine_wall_s "$work/large.json")"
