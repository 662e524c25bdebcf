#!/bin/bash
# Every header compiles alone, whatever was included before it. A header that its own source file
# includes first is compiled alone by the build already; only the others are compiled here.
#   check_headers.sh CXX [--all] [ROOT]    --all: compile every header (two minutes of CPU)
set -euo pipefail
cxx=$1 all=no
if [ "${2:-}" = --all ]; then all=yes; shift; fi
cd "${2:-$(dirname "$0")/..}"

count=0 headers=()
while IFS= read -r header; do
  count=$((count + 1))
  source=${header%.h}.cc
  if [ $all = no ] && [ -f "$source" ]; then
    first=$(grep -m1 -E '^\s*#\s*include' "$source" || true)
    [ "$first" = "#include \"$header\"" ] && continue
  fi
  headers+=("$header")
done < <(find kernel archives operators backends engine tools -name '*.h' 2>/dev/null | sort)
test "$count" -gt 0 || { echo "no headers found" >&2; exit 1; }

# Included, not compiled itself: #pragma once in a main file is a warning.
compile_alone='printf "#include \"%s\"\n" "$2" |
  "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Werror -I. -x c++ - ||
  { echo "not self-contained: $2" >&2; exit 1; }'
if [ ${#headers[@]} -gt 0 ]; then
  printf '%s\0' "${headers[@]}" | xargs -0 -P2 -I{} bash -c "$compile_alone" compile_alone "$cxx" {}
fi
echo "$count headers: $((count - ${#headers[@]})) come first in their own source, ${#headers[@]} compiled alone"
