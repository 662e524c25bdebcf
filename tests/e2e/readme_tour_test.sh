#!/bin/bash
# The README's "Five minutes", command by command as it is written there, with budgets of a few
# evaluations and a softmax small enough for a test.
#   readme_tour_test.sh KERNATLAS
set -euo pipefail
kernatlas=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }

# A place that looks like the source tree after make. Without the Eigen baseline, and with small
# workloads: compiling and timing those is most of what a short search costs.
mkdir -p "$dir/build" "$dir/tasks"
ln -s "$(dirname "$kernatlas")" "$dir/build/bin"
cp -r "$root/tasks/softmax" "$dir/tasks/"
awk '/^\[\[/ { block = $0 ; held = $0; next }
     /Eigen/ { held = ""; skip = 1 }
     block != "[[baseline]]" { skip = 0 }
     held != "" { print held; held = ""; skip = 0 }
     !skip { print }' "$root/tasks/softmax/task.toml" |
  sed -e 's/ROWS = 256, COLS = 1024/ROWS = 32, COLS = 128/' -e 's/COLS = 16384/COLS = 512/' \
    >"$dir/tasks/softmax/task.toml"
! grep -q Eigen "$dir/tasks/softmax/task.toml" || fail "the Eigen baseline is still there"
cd "$dir"
export KERNATLAS_CACHE=$dir/cache

tour=$(awk '/^## / { inside = ($0 == "## Five minutes") } inside && /^```/ { block++; next } inside && block == 1' \
  "$root/README.md")
run=0
while IFS= read -r line; do
  [ -n "$line" ] || continue
  command=$(sed -e 's/--budget 200e/--budget 3e/' -e 's/--budget 400e/--budget 4e/' -e 's/--budget 100e/--budget 4e/' <<<"$line")
  echo "$(date +%T) $command"
  bash -euo pipefail -c "$command" >out.txt 2>err.txt </dev/null || {
    code=$?
    cat out.txt err.txt
    fail "exit code $code: $command"
  }
  test -s out.txt || fail "printed nothing: $command"
  run=$((run + 1))
done <<<"$tour"
test "$run" -ge 8 || fail "only $run commands were found in the README"

build/bin/kernatlas show r1 --json >show.json
grep -qE '"evaluations": *4\b' show.json || fail "resume did not go on to its budget"
echo "$run commands of the README work"
