#!/bin/bash
# make test: every test, in the build that shows most.
#   1. unit tests under ASan + UBSan, with the line coverage of kernel/, engine/ and archives/
#   2. concurrency tests under TSan
#   3. release build with warnings as errors: end-to-end, cheat and other slow tests
#   4. fuzzers, a few seconds each (KERNATLAS_FUZZ_SECONDS)
# Stops at the first step that fails; a step that runs no test fails.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s)\n' "$1" "$(date +%T)"; }
build() { cmake --preset "$1" >/dev/null && cmake --build "build${1:+-$1}" "${@:2}"; }
run_tests() { ctest --test-dir "$1" --output-on-failure --no-tests=error "${@:2}"; }

tools/setup/debian.sh run test format
# Objects are shared between clones: paths below this folder count as relative.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1 CCACHE_MAXSIZE=${CCACHE_MAXSIZE:-3G}

step "layout: formatting and file sizes"
tests/check_style.sh

step "unit tests under ASan and UBSan"
build asan --target unit_tests
find build-asan -name '*.gcda' -delete
run_tests build-asan -L unit -LE slow -j2

step "line coverage"
gcovr --root . --object-directory build-asan --filter 'kernel/' --filter 'engine/' --filter 'archives/' \
  --gcov-ignore-parse-errors --exclude-throw-branches --print-summary --fail-under-line 90 \
  --txt build-asan/coverage.txt
tail -n 4 build-asan/coverage.txt

step "concurrency tests under TSan"
build tsan --target concurrency_tests
run_tests build-tsan -L concurrency

step "slow tests, release build with warnings as errors"
build ci --target kernatlas slow_tests
run_tests build-ci -L 'slow|device|perf'

step "fuzzers"
tests/fuzz/run.sh "${KERNATLAS_FUZZ_SECONDS:-5}"

step "all tests passed"
