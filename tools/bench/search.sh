#!/bin/bash
# Search quality: the default policy against pure random assignment under the same budget of evaluations,
# on three tasks and five seeds. Both run interleaved; the figure is the geometric mean, over tasks and
# seeds, of the best elite's speed-up as measured again in the final examination.
#   tools/bench/search.sh [BUDGET] [SEEDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
kernatlas=${KERNATLAS:-build/bin/kernatlas}
budget=${1:-${KERNATLAS_BENCH_BUDGET:-60e}}
seeds=${2:-${KERNATLAS_BENCH_SEEDS:-5}}
tasks=${KERNATLAS_BENCH_TASKS:-softmax matmul rmsnorm}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Best speed-up of a run: the examined one where there is one.
best() {
  "$kernatlas" show "$1" --json | awk '
    /^  "best": \{/ { inside = 1 }
    inside && /^    "speedup":/ { raw = $2 + 0 }
    inside && /^      "speedup":/ { again = $2 + 0 }
    /^  \},/ { inside = 0 }
    END { print (again == "" ? raw : again) }'
}

for task in $tasks; do
  for seed in $(seq 1 "$seeds"); do
    for policy in map-elites random; do
      run="$dir/$task-$seed-$policy"
      "$kernatlas" run "$task" --out "$run" --budget "$budget" --seed "$seed" --policy "$policy" --quiet
      echo "$task $seed $policy $(best "$run")" | tee -a "$dir/results" >&2
      rm -rf "$run"
    done
  done
done

awk -v budget="$budget" '
  { logs[$1 " " $3] += log($4); n[$1 " " $3]++; all[$3] += log($4); count[$3]++; tasks[$1] = 1 }
  function line(name, a, b, runs) {
    printf "{\"name\": \"%s\", \"value\": %.4f, \"unit\": \"speed-up over plain -O3 loops\", \"reference\": \"random assignment, %s\", \"reference_value\": %.4f, \"ratio\": %.4f, \"runs\": %d}\n",
      name, exp(a), budget, exp(b), exp(a - b), runs
  }
  END {
    for (t in tasks)
      line("search quality, " t, logs[t " map-elites"] / n[t " map-elites"], logs[t " random"] / n[t " random"], n[t " random"])
    line("search quality, all tasks", all["map-elites"] / count["map-elites"], all["random"] / count["random"], count["random"])
  }' "$dir/results"
