#!/bin/bash
# Builds every fuzzer with clang and runs each for some seconds on its corpus (tests/fuzz/corpus/NAME).
#   tests/fuzz/run.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-10}
cmake --preset fuzz >/dev/null
cmake --build build-fuzz --target fuzzers
count=0
for fuzzer in build-fuzz/fuzz/*_fuzz; do
  name=$(basename "$fuzzer")
  mkdir -p "build-fuzz/corpus/$name"
  seeds="tests/fuzz/corpus/$name"
  [ -d "$seeds" ] || seeds=""
  if ! "$fuzzer" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -verbosity=0 -print_final_stats=0 \
      -artifact_prefix="build-fuzz/$name-" "build-fuzz/corpus/$name" $seeds >"build-fuzz/$name.log" 2>&1; then
    tail -n 40 "build-fuzz/$name.log"
    echo "$name: failed; the input is in build-fuzz/$name-*"
    exit 1
  fi
  count=$((count + 1))
  echo "$name: $seconds s without a finding"
done
[ "$count" -gt 0 ] || { echo "no fuzzer was built"; exit 1; }
