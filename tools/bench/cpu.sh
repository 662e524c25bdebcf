#!/bin/bash
# CPU candidates fully verified and timed per minute, and where the time goes, against compiling the same
# number of candidates one after another and doing nothing else with them.
#   tools/bench/cpu.sh [BUDGET]
set -euo pipefail
cd "$(dirname "$0")/../.."
kernatlas=${KERNATLAS:-build/bin/kernatlas}
budget=${1:-${KERNATLAS_BENCH_BUDGET:-60e}}
task=${KERNATLAS_BENCH_TASK:-softmax}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

now() { date +%s.%N; }

# A cold cache: compiling is part of the work.
export KERNATLAS_CACHE="$dir/cache"
"$kernatlas" run "$task" --out "$dir/run" --budget "$budget" --seed 1 --no-examination --quiet
"$kernatlas" show "$dir/run" --json >"$dir/show.json"
field() { awk -v name="\"$1\":" '$1 == name { print $2 + 0; exit }' "$dir/show.json"; }
evaluations=$(field evaluations)
elapsed=$(field elapsed_s)

# The reference: what one compiler call costs here, with the same headers and flags and no prelude.
cat >"$dir/plain.cpp" <<'EOF'
#include <immintrin.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
EOF
sed -e '/^extern "C"/,$!d' -e 's/, Block at/, long row/; s/at\.x/row/g' tasks/softmax/baselines/plain.cpp >>"$dir/plain.cpp"
runs=10
begin=$(now)
for _ in $(seq "$runs"); do
  g++ -std=c++20 -O3 -march=native -fPIC -shared -DROWS=256 -DCOLS=1024 -o "$dir/plain.so" "$dir/plain.cpp"
done
end=$(now)

awk -v evaluations="$evaluations" -v elapsed="$elapsed" -v begin="$begin" -v end="$end" -v runs="$runs" -v task="$task" '
  /^    "(compile|spawn|verify|time)_s":/ { gsub(/["_s:]*:$/, "", $1); gsub(/"/, "", $1); cost[$1] = $2 + 0; total += $2 }
  END {
    rate = 60 * evaluations / elapsed
    reference = 60 * runs / (end - begin)
    printf "{\"name\": \"CPU candidates verified and timed, %s\", \"value\": %.1f, \"unit\": \"1/min\", \"reference\": \"g++ -O3 of the plain loops alone, one after another\", \"reference_value\": %.1f, \"ratio\": %.3f, \"runs\": %d}\n", task, rate, reference, rate / reference, evaluations
    for (part in cost)
      printf "{\"name\": \"share of %s, %s\", \"value\": %.3f, \"unit\": \"s per candidate\", \"reference\": \"all parts\", \"reference_value\": %.3f, \"ratio\": %.3f, \"runs\": %d}\n", part, task, cost[part], total, cost[part] / total, evaluations
  }' "$dir/show.json"
