#!/bin/bash
# Installs the built program, moves the tree, and uses it there as a machine would that has neither
# the source tree nor the libraries it was built with.
#   install_test.sh CMAKE BUILD_DIR
set -euo pipefail

cmake=$1 build=$(realpath "$2") tasks=$(realpath "$(dirname "$0")/../../tasks")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$dir/first" >"$dir/install.log" 2>&1 || {
  cat "$dir/install.log"; fail "cmake --install"
}
mkdir -p "$dir/else/where" "$dir/empty"
mv "$dir/first" "$dir/else/where/tree"
tree=$dir/else/where/tree
cd "$dir/empty"  # no ./tasks here

# Runs the installed program with nothing of this environment.
installed() { env -i PATH=/usr/bin:/bin KERNATLAS_CACHE="$dir/cache" "$tree/bin/kernatlas" "$@"; }

echo "tree: $(du -sm "$tree" | cut -f1) MiB in $(find "$tree" -type f | wc -l) files"
test "$(du -sm "$tree" | cut -f1)" -lt 60 || fail "the tree is larger than 60 MiB"

glibc='(ld-linux[^ ]*|lib(c|m|mvec|pthread|dl|rt|resolv|util|anl))\.so\.[0-9]+'
for program in kernatlas kernatlas-worker; do
  resolved=$(env -i ldd "$tree/bin/$program")
  grep -q "=> $tree/" <<<"$resolved" || grep -q "=> $tree/bin/\.\./" <<<"$resolved" ||
    fail "$program uses nothing of the tree"
  foreign=$(grep -vE "=> $tree/|linux-vdso|^\s*(/[^ ]*/)?$glibc " <<<"$resolved" || true)
  test -z "$foreign" || fail "$program needs what is not in the tree: $foreign"
done
broken=$(find "$tree" -xtype l)
test -z "$broken" || fail "dangling links: $broken"

installed tasks list >"$dir/tasks.txt"
for task in "$tasks"/*/; do
  grep -q "^$(basename "$task") " "$dir/tasks.txt" || fail "task $(basename "$task") is not listed"
done
! grep -q 'broken:' "$dir/tasks.txt" || fail "$(cat "$dir/tasks.txt")"

installed doctor >"$dir/doctor.txt" || { cat "$dir/doctor.txt"; fail "doctor"; }

installed run softmax --out run --budget 3e --seed 1 --quiet || fail "run: exit code $?"
installed show run --json >show.json
grep -qE '"evaluations": *3\b' show.json || { head -n 40 show.json; fail "not 3 evaluations"; }
grep -qE '"task": *"softmax"' show.json || fail "not softmax"
grep -qE '"measured": *[1-3]\b' show.json || { head -n 40 show.json; fail "nothing was measured"; }
echo "works where it was moved to"
