#!/bin/bash
# Formatting by clang-format, and the size budgets: no source file over 500 lines, no function over 60.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
long=$(git ls-files '*.h' '*.cc' '*.sh' '*.cmake' | xargs wc -l | awk '$2 != "total" && $1 > 500 {print $2 ": " $1 " lines"}')
if [ -n "$long" ]; then
  echo "files over 500 lines: split them along a seam a stranger would expect"
  echo "$long"
  exit 1
fi
long=$(git ls-files '*.h' '*.cc' | xargs awk -v max=60 -f tests/long_functions.awk)
if [ -n "$long" ]; then
  echo "functions over 60 lines: give a part of them a name"
  echo "$long"
  exit 1
fi
