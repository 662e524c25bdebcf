#!/bin/bash
# Formatting by clang-format, and the size budget: no source file over 500 lines.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files '*.h' '*.cc' | xargs clang-format --dry-run --Werror
long=$(git ls-files '*.h' '*.cc' '*.sh' '*.cmake' | xargs wc -l | awk '$2 != "total" && $1 > 500 {print $2 ": " $1 " lines"}')
if [ -n "$long" ]; then
  echo "files over 500 lines: split them along a seam a stranger would expect"
  echo "$long"
  exit 1
fi
