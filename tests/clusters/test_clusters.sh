#!/usr/bin/env bash
# Sweeps by several programs at once, for real: test_clusters.sh PROGRAM SCRATCH_DIR. Open MPI on this machine, and a
# Slurm of two nodes that the test starts and ends itself. Every table has to have the bytes of that of one program.
set -uo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
program=$(readlink -f "$1")
scratch=$2
failures=0
. "$here/slurm.sh"

rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd -P)
cd "$scratch" || exit 1
trap stop_slurm EXIT

# expect SENTENCE CONDITION...: the sentence must be true.
expect() {
    local sentence=$1
    shift
    if "$@"; then
        echo "ok: $sentence"
    else
        echo "NOT TRUE: $sentence"
        failures=$((failures + 1))
    fi
}
same_table() { cmp -s "$scratch/alone/runs.csv" "$scratch/$1/runs.csv"; }
rows() { cat "$1"/journal/*.txt 2> /dev/null | grep -c '^end'; }

# wait_for SECONDS CONDITION...: until it is true.
wait_for() {
    local until=$((SECONDS + $1))
    shift
    until "$@"; do
        ((SECONDS < until)) || return 1
        sleep 0.1
    done
}
has_rows() { (($(rows "$1") >= $2)); }
job_has_ended() { [[ -z $(squeue --noheader --jobs="$1" 2> /dev/null) ]]; }

cat > scene.json <<'SCENE'
{ "yawara": 1, "frames": 120,
  "bodies": [ { "name": "bar", "solid": { "bar": { "size": [0.6, 0.4, 0.4], "cells": [9, 6, 6] } },
                "matching": { "alpha": 0.5 }, "place": { "translate": [0, 0.2, 0] }, "spin": [0, 0, 2] } ],
  "measures": [ { "name": "reach", "what": "extent", "body": "bar", "axis": "x" } ],
  "obstacles": [ { "plane": {} } ] }
SCENE
sweep=(sweep scene.json --yes --set 'bodies[0].matching.alpha=0.1:0.9:9' --set 'bodies[0].density=300:3000:log:8')

"$program" "${sweep[@]}" --out alone --quiet
expect "one program does all runs" test "$(wc -l < alone/runs.csv)" = 73

# ---- MPI ------------------------------------------------------------------------------------------------------------

mpi=(mpirun -n 3 --oversubscribe)
[[ $EUID == 0 ]] && mpi+=(--allow-run-as-root)

"${mpi[@]}" "$program" "${sweep[@]}" --out mpi > mpi.log 2>&1
expect "mpirun succeeds" test $? = 0
expect "ranks make the table of one program" same_table mpi
expect "every rank did some of it" test "$(grep -l '^end' mpi/journal/*.txt | wc -l)" = 3
expect "no run was done twice" test "$(rows mpi)" = 72

"${mpi[@]}" "$program" "${sweep[@]}" --out killed > killed.log 2>&1 &
launcher=$!
wait_for 60 has_rows killed 12
kill -9 "$(pgrep -P "$launcher" | tail -n 1)"
wait "$launcher"
expect "mpirun tells that a rank was killed" test $? != 0
expect "some runs were left" test "$(rows killed)" -lt 72
"${mpi[@]}" "$program" "${sweep[@]}" --out killed >> killed.log 2>&1
expect "a second start does what was left" same_table killed

# ---- Slurm ----------------------------------------------------------------------------------------------------------

if ! start_slurm "$scratch/slurm"; then
    echo "NOT TRUE: a Slurm of two nodes starts"
    exit 1
fi

"$program" "${sweep[@]}" --out arrays --slurm --dry-run --shards 6 > script.sh
expect "--dry-run prints a script of six shards" grep -q 'array=0-5' script.sh
expect "--dry-run hands nothing to Slurm" test -z "$(squeue --noheader)"

"$program" "${sweep[@]}" --out arrays --slurm --shards 6 --json > job.json
job=$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' job.json)
"$program" "${sweep[@]}" --out arrays > refused.log 2>&1
expect "another sweep in the folder is refused while the job works" grep -q "Slurm job $job is running here" refused.log
expect "the job ends" wait_for 300 job_has_ended "$job"
expect "shards make the table of one program" same_table arrays
expect "the last shard writes the page" test -s arrays/index.html
"$program" sweep arrays --status > status.log
expect "--status tells that all are done" grep -q '72 of 72 runs are done' status.log

# A node is killed with what runs on it, and comes back: its shards are queued again.
"$program" "${sweep[@]}" --out requeued --slurm --shards 4 --json > job.json
job=$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' job.json)
wait_for 60 has_rows requeued 8
# shellcheck disable=SC2154  # set by start_node
kill -9 "$node_first"
for shard in $(pgrep -f "sweep $scratch/requeued"); do
    if grep -qz '^SLURMD_NODENAME=first$' "/proc/$shard/environ" 2> /dev/null; then
        kill -9 "$(ps -o ppid= -p "$shard" | tr -d ' ')" "$shard"
    fi
done
expect "some runs were left when the node was killed" test "$(rows requeued)" -lt 72
start_node first 2>> slurm/first.err
expect "the job ends after all" wait_for 300 job_has_ended "$job"
if ! same_table requeued; then  # shards that Slurm gave up are handed in again
    "$program" sweep requeued --slurm --shards 4 --yes --json > job.json
    job=$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' job.json)
    wait_for 300 job_has_ended "$job"
fi
expect "a killed node costs no run and doubles none" same_table requeued

echo "$failures not true"
exit $((failures > 0))
