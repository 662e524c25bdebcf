#!/bin/bash
# Kills a search with kill -9 at random moments, resumes it, and does so until the budget is spent and
# at least KILLS kills have happened. After every kill the totals must agree: nothing that was settled
# is lost, nothing is counted twice, and no process is left behind.
#   kill_resume.sh KERNATLAS KILLS BUDGET_PER_KILL MAX_SLEEP_MS TASK [run flags…]
# The evaluation budget grows by BUDGET_PER_KILL with each resume, so that every kill hits live work.
set -euo pipefail

kernatlas=$1 kills=$2 step=$3 max_ms=$4 task=$5
shift 5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
run=$dir/run
RANDOM=${SEED:-12345}
echo "seed ${SEED:-12345}"

fail() { echo "FAILED: $1" >&2; exit 1; }

# Prints "evaluations sum-of-outcomes duplicates".
totals() {
  "$kernatlas" show "$run" --json >"$dir/show.json" || fail "show after kill $done_kills"
  awk '
    /^  "evaluations":/ { gsub(/[^0-9]/, ""); evaluations = $0 }
    /^  "duplicates":/ { gsub(/[^0-9]/, ""); duplicates = $0 }
    /^  "outcomes": \{$/ { inside = 1; next }
    inside && /\}/ { inside = 0 }
    inside { gsub(/[^0-9]/, ""); sum += $0 }
    END { print evaluations + 0, sum + 0, duplicates + 0 }' "$dir/show.json"
}

check_totals() {
  read -r evaluations sum _ < <(totals)
  [ "$evaluations" -eq "$sum" ] || fail "$evaluations evaluations, but outcomes add up to $sum"
  [ "$evaluations" -ge "$last" ] || fail "$last evaluations were settled, $evaluations are left"
  [ "$evaluations" -le "$budget" ] || fail "$evaluations evaluations, budget $budget"
  last=$evaluations
}

done_kills=0 last=0 budget=$step
"$kernatlas" run "$task" --out "$run" --budget "${budget}e" --no-examination --quiet "$@" &
pid=$!
while [ "$done_kills" -lt "$kills" ]; do
  ms=$((RANDOM * max_ms / 32768))
  sleep "$((ms / 1000)).$(printf '%03d' $((ms % 1000)))"
  if kill -KILL "$pid" 2>/dev/null; then done_kills=$((done_kills + 1)); fi
  wait "$pid" 2>/dev/null || true
  # A kill before the run directory was complete leaves nothing to resume: begin again.
  if [ -d "$run/task" ] && "$kernatlas" show "$run" --json >/dev/null 2>&1; then
    check_totals
    budget=$((last + step))
    "$kernatlas" resume "$run" --budget "${budget}e" --no-examination --quiet &
  else
    [ "$last" -eq 0 ] || fail "the run cannot be read any more"
    rm -rf "$run"
    "$kernatlas" run "$task" --out "$run" --budget "${budget}e" --no-examination --quiet "$@" &
  fi
  pid=$!
done
wait "$pid" || fail "the last resume ended with $?"
check_totals
[ "$last" -eq "$budget" ] || fail "$last evaluations at the end, budget $budget"

# Nobody else starts workers below our run directory's kernatlas while this test runs.
sleep 0.5
left=$(pgrep -P 1 -f kernatlas-worker | wc -l || true)
[ "$left" -eq 0 ] || fail "$left workers outlived their search"
echo "$done_kills kills, $last evaluations, totals agreed each time"
