#!/bin/bash
# make bench: every benchmark, each ratio from one interleaved run against a named reference, collected
# into build/bench.json: [{name, value, unit, reference, reference_value, ratio, runs}].
#   tools/bench/run.sh [NAME]...     only these benchmarks
set -euo pipefail
cd "$(dirname "$0")/../.."
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(engine cpu search archive atlas)
lines=build/bench.lines
: >"$lines"
for name in "${names[@]}"; do
  echo "== $name" >&2
  if [ -x "tools/bench/$name.sh" ]; then
    "tools/bench/$name.sh" | tee -a "$lines"
  else
    "build/bin/kernatlas-bench-$name" | tee -a "$lines"
  fi
done
# One JSON object a line, joined into a list.
{ echo "["; sed '$!s/$/,/' "$lines"; echo "]"; } >build/bench.json
echo "written: build/bench.json ($(wc -l <"$lines") figures)" >&2
