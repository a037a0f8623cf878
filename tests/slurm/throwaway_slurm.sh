#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The PrismLLM authors
# SPDX-License-Identifier: Apache-2.0
#
# A Slurm of one node on this machine for as long as a test takes. As root; needs neither systemd
# nor cgroups, and leaves alone a Slurm or munge that runs already.
#
#   throwaway_slurm.sh start DIR     then use it:  export SLURM_CONF=DIR/slurm.conf
#   throwaway_slurm.sh stop DIR      ends its jobs and daemons; DIR stays, to read DIR/log
#
# DIR is a folder of its own with a short name (sockets lie in it). Exit status 77: this machine
# cannot have a Slurm, and the last line says why.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin

start_limit_s=20
fake_cpus=8

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

require() {
    local tool
    [[ $(id -u) -eq 0 ]] || skip "the daemons of Slurm have to be started by root"
    for tool in munged slurmctld slurmd sbatch srun squeue scontrol scancel sinfo; do
        command -v "$tool" >/dev/null || skip "$tool is missing (packages munge and slurm-wlm)"
    done
}

# Nobody answers on them now. Below the ports that systems hand out to clients.
free_port() {
    local port
    while :; do
        port=$((20000 + RANDOM % 10000))
        if ! (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
            printf '%d\n' "$port"
            return
        fi
    done
}

# A munge of its own: key and socket lie in the folder. It looks at the rights of all folders
# above, which is not to be decided here; hence --force.
start_munge() {
    (umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
    munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --num-threads=2 \
        --pid-file="$dir/munged.pid" --log-file="$dir/log/munged.log" \
        --seed-file="$dir/munge.seed" >"$dir/log/munged.start" 2>&1
}

# Processes are found by their parents (linuxproc), nothing is bound or accounted: each of these
# plug-ins would want cgroups. The node claims more cores than it may have (config_overrides).
write_configuration() {
    local host control_port=$1 node_port=$2
    host=$(hostname -s)
    cat >"$dir/slurm.conf" <<CONF
ClusterName=throwaway
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$control_port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$dir/munge.socket
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
TmpFS=$dir/tmp
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/log/slurmctld.log
SlurmdLogFile=$dir/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
MailProg=/bin/true
ReturnToService=2
KillWait=5
NodeName=$host NodeAddr=127.0.0.1 Port=$node_port CPUs=$fake_cpus RealMemory=1000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
}

wait_until_idle() {
    local end=$((SECONDS + start_limit_s))
    while ((SECONDS < end)); do
        if [[ $(timeout 5 sinfo --noheader --format=%T 2>/dev/null) == idle ]]; then
            return 0
        fi
        sleep 0.1
    done
    return 1
}

# Runs when start ends early.
give_up() {
    tail -n 5 "$dir"/log/* 2>/dev/null || true
    stop
    skip "$problem"
}

start() {
    require
    if [[ -e $dir/slurm.conf ]]; then
        printf '%s was used before (job ids and sockets would clash). Name a new one.\n' "$dir" >&2
        exit 2
    fi
    mkdir -p "$dir"/{state,spool,tmp,log}
    problem="the daemons of Slurm do not start here (their messages stand above)"
    trap give_up EXIT
    trap 'problem="told to stop"; exit' INT TERM
    start_munge
    write_configuration "$(free_port)" "$(free_port)"
    export SLURM_CONF=$dir/slurm.conf
    slurmctld -c -i
    slurmd -c
    wait_until_idle
    problem="this Slurm has no PMIx plug-in (srun --mpi=list), which Open MPI starts with"
    [[ $(srun --mpi=list 2>&1) == *pmix* ]]
    trap - EXIT INT TERM
}

# Processes of jobs, and those that look after them.
left_processes() {
    local file id
    grep -lzxF "SLURM_CONF=$dir/slurm.conf" /proc/[0-9]*/environ 2>/dev/null |
        while read -r file; do
            id=${file//[!0-9]/}
            if [[ $(cat "/proc/$id/comm" 2>/dev/null) == slurm* ]] ||
                grep -qz '^SLURM_JOB_ID=' "$file" 2>/dev/null; then
                printf '%d\n' "$id"
            fi
        done || true
}

wait_for_jobs() {
    local end=$((SECONDS + 8))
    while ((SECONDS < end)) && [[ -n $(timeout 3 squeue --noheader 2>/dev/null) ]]; do
        sleep 0.2
    done
}

# end_daemon NAME: ask, and insist after five seconds. A process id that another program has by
# now is left alone; one that ended and was not reaped yet has no program. Debian's programs are
# links: slurmd is slurmd-wlm.
end_daemon() {
    local id round
    id=$(cat "$dir/$1.pid" 2>/dev/null) || return 0
    for round in {1..50}; do
        [[ $(readlink "/proc/$id/exe") == */"$1"* ]] || return 0
        if ((round == 1)); then
            kill "$id" 2>/dev/null || true
        fi
        sleep 0.1
    done
    kill -KILL "$id" 2>/dev/null || true
}

stop() {
    trap - EXIT INT TERM
    export SLURM_CONF=$dir/slurm.conf
    if [[ -e $dir/slurmd.pid ]]; then
        timeout 5 scancel --state=PENDING 2>/dev/null || true
        timeout 5 scancel --state=RUNNING 2>/dev/null || true
        wait_for_jobs
    fi
    end_daemon slurmd
    end_daemon slurmctld
    end_daemon munged
    local left
    mapfile -t left < <(left_processes)
    if ((${#left[@]} > 0)); then
        kill -KILL "${left[@]}" 2>/dev/null || true
    fi
}

main() {
    if (($# != 2)) || [[ $1 != start && $1 != stop ]]; then
        sed -n '/^#   throwaway/p' "${BASH_SOURCE[0]}" | sed 's/^# *//' >&2
        exit 2
    fi
    mkdir -p "$2"
    dir=$(cd "$2" && pwd)
    "$1"
}

main "$@"
