#!/bin/bash
# Installs the component "archives" alone, builds docs/examples/archives against it as somebody
# else's program would, and runs it. Also: a component that does not exist is refused by name.
#   consumer_test.sh CMAKE BUILD_DIR CXX [SANITIZERS]
set -euo pipefail

cmake=$1 build=$(realpath "$2") compiler=$3 sanitize=${4:-}
example=$(realpath "$(dirname "$0")/../../docs/examples/archives")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
quietly() { "$@" >"$dir/log" 2>&1 || { cat "$dir/log"; fail "$*"; }; }

quietly "$cmake" --install "$build" --component archives --prefix "$dir/prefix"
test -f "$dir/prefix/include/kernatlas/archives/archive.h" || fail "headers are missing"
test ! -e "$dir/prefix/bin" || fail "the component installed programs"

quietly "$cmake" -S "$example" -B "$dir/example" -DCMAKE_PREFIX_PATH="$dir/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="${sanitize:+-fsanitize=$sanitize}"
quietly "$cmake" --build "$dir/example"
output=$("$dir/example/archives-example")
echo "$output"
cells=$(sed -nE 's/^cells ([0-9]+), .*/\1/p' <<<"$output")
test "${cells:-0}" -gt 500 || fail "the example fills $cells cells"

mkdir "$dir/wrong"
cat >"$dir/wrong/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(wrong LANGUAGES CXX)
find_package(kernatlas REQUIRED COMPONENTS gearbox)
END
if "$cmake" -S "$dir/wrong" -B "$dir/wrong/build" -DCMAKE_PREFIX_PATH="$dir/prefix" \
  -DCMAKE_CXX_COMPILER="$compiler" >"$dir/log" 2>&1; then
  fail "a component that does not exist was found"
fi
grep -q gearbox "$dir/log" || fail "the refusal does not name the component"
