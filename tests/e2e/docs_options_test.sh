#!/bin/bash
# What the documents say about the command line is true: every option that a code span or block names
# for a subcommand is in that subcommand's --help, an option named alone is in somebody's, and the table
# of commands in docs/command-line.md lists exactly the commands that exist.
#   docs_options_test.sh KERNATLAS [ROOT]
set -euo pipefail
kernatlas=$(realpath "$1")
cd "${2:-$(dirname "$0")/../..}"

failures=0 checked=0
fail() { echo "FAILED: $1" >&2; failures=$((failures + 1)); }
# Options of other programs that the documents explain.
not_ours=" --gc-sections "

commands=$("$kernatlas" --help | awk '/^Subcommands:/ {inside = 1; next} /^$/ {inside = 0} inside && /^  [a-z]/ {print $1}')
test -n "$commands" || { echo "FAILED: --help lists no subcommands" >&2; exit 1; }
declare -A help
for command in $commands; do help[$command]=$("$kernatlas" "$command" --help); done
for sub in list check; do help["tasks $sub"]=$("$kernatlas" tasks $sub --help); done

has() { grep -qE -- "(^|[ ,])$2([ ,=:[]|$)" <<<"${help[$1]}"; }
somebody_has() {
  local each
  for each in "${!help[@]}"; do has "$each" "$1" && return; done
  return 1
}

# "FILE<tab>TEXT" for every code span and every line of a code block.
snippets() {
  find README.md CONTRIBUTING.md docs -name '*.md' | sort | xargs awk '
    FNR == 1 { block = 0 }
    /^ *```/ { block = !block; next }
    block { sub(/ # .*/, ""); print FILENAME "\t" $0; next }
    { count = split($0, part, "`"); for (i = 2; i <= count; i += 2) print FILENAME "\t" part[i] }'
}

# check FILE TEXT: one command, without what follows && or a pipe.
check() {
  local file=$1 text=${2%%&&*} named=no command option
  text=${text%% | *}
  text=${text#"${text%%[! ]*}"}
  [[ $text =~ ^(.*/)?kernatlas\ +(.*)$ ]] && named=yes text=${BASH_REMATCH[2]}
  command=${text%% *}
  if [ $named = yes ] && [[ $command =~ ^[a-z]+$ ]] && [ -z "${help[$command]:-}" ]; then
    fail "$file: there is no command \"$command\": $2"
    return
  fi
  [[ $text == "tasks "* ]] && command=$(cut -d' ' -f1-2 <<<"$text")
  if [ -z "${help[${command:-none}]:-}" ] && [[ $text != --* ]]; then return; fi
  for option in $(grep -oE -- '(^| )--[a-z][a-z-]*' <<<"$text" || true); do
    [[ $not_ours == *" $option "* ]] && continue
    checked=$((checked + 1))
    if [[ $text == --* ]]; then
      somebody_has "$option" || fail "$file: no command has $option: $2"
    else
      has "$command" "$option" || fail "$file: kernatlas $command has no $option: $2"
    fi
  done
}

while IFS=$'\t' read -r file text; do
  [ -n "$text" ] && check "$file" "$text"
done < <(snippets)
test "$checked" -ge 15 || fail "only $checked options were found in the documents"

documented=$(grep -oE '^\|.*\|' docs/command-line.md | cut -d'|' -f2 | grep -oE '`[a-z]+' | tr -d '`' | sort -u)
difference=$(diff <(echo "$documented") <(sort -u <<<"$commands") || true)
test -z "$difference" || fail "docs/command-line.md and --help list different commands: $difference"

echo "$checked options checked, $(wc -w <<<"$commands") commands"
test "$failures" -eq 0
