#!/bin/bash
# make demo: breeds CPU kernels for a real task, kills the search in the middle, resumes it, and shows
# what it found. A few minutes on two cores. KERNATLAS_DEMO_BUDGET and KERNATLAS_DEMO_TASK change it.
set -euo pipefail
cd "$(dirname "$0")/.."

kernatlas=build/bin/kernatlas
task=${KERNATLAS_DEMO_TASK:-softmax}
budget=${KERNATLAS_DEMO_BUDGET:-150e}
run=build/demo.krun
rm -rf "$run" build/demo-best

say() { printf '\n\033[1m== %s\033[0m\n' "$1"; }

say "what works on this machine"
"$kernatlas" doctor

say "searching: $task, budget $budget"
"$kernatlas" run "$task" --out "$run" --budget "$budget" --seed 1 &
search=$!

# Long enough to have settled something, short enough to be in the middle.
settled() { "$kernatlas" show "$run" --json 2>/dev/null | sed -n 's/^  "evaluations": \([0-9]*\),$/\1/p'; }
while kill -0 "$search" 2>/dev/null; do
  count=$(settled || true)
  [ "${count:-0}" -lt 30 ] || break
  sleep 1
done

if kill -KILL "$search" 2>/dev/null; then
  wait "$search" 2>/dev/null || true
  say "killed it with kill -9 after $(settled) settled evaluations; resuming"
  "$kernatlas" resume "$run"
else
  wait "$search"
fi

say "what it found"
"$kernatlas" show "$run"

say "the best kernel, exported as a program of its own"
"$kernatlas" export "$run" best --to cpp --out build/demo-best
make -s -C build/demo-best run

printf '\nthe run: %s   the best kernel: build/demo-best/\n' "$run"
