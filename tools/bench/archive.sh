#!/bin/bash
# The archives' own figures, then ours and pyribs in turns. pyribs comes from the Python package index
# into a throw-away environment; without it that part is left out, and the reason is said.
#   tools/bench/archive.sh        a JSON object a line on standard output
set -euo pipefail
cd "$(dirname "$0")/../.."
program=$PWD/build/bin/kernatlas-bench-archive

"$program"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
if ! python3 -m venv "$dir/venv" >"$dir/log" 2>&1 ||
  ! "$dir/venv/bin/pip" install --quiet --disable-pip-version-check ribs >>"$dir/log" 2>&1; then
  echo "skipped the comparison with pyribs, it could not be installed: $(tail -1 "$dir/log")" >&2
  exit 0
fi
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
"$dir/venv/bin/python" -B tools/bench/archive_pyribs.py "$program" \
  --curves build/archive-curves.json
"$program" curves build/archive-curves.json build/archive-curves.svg
