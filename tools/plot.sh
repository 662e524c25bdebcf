#!/bin/bash
# Draws a run's elites beside its baselines as an SVG (needs gnuplot: apt-get install gnuplot-nox).
#   tools/plot.sh RUN OUT.svg
set -euo pipefail
kernatlas=${KERNATLAS:-$(dirname "$0")/../build/bin/kernatlas}
run=$1 out=$2
command -v gnuplot >/dev/null || { echo "gnuplot is missing: apt-get install gnuplot-nox" >&2; exit 3; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$kernatlas" show "$run" --json | awk '
  /^  "elites": \[/ { elites = 1 }
  /^  \]/ { elites = 0 }
  elites && /^          "/ { sub(/^[^:]*: "/, ""); sub(/",?$/, ""); label = label (label == "" ? "" : " · ") $0 }
  elites && /^      "speedup":/ { speedup = $2 + 0 }
  elites && /^      "interval": \[/ { getline low; getline high; low += 0; high += 0 }
  elites && /^    \}/ { if (label != "") printf "\"%s\" %s %s %s 0\n", label, speedup, low, high; label = "" }' >"$dir/elites"
"$kernatlas" show "$run" | awk '
  /^baselines/ { inside = 1; next }
  inside && /^  / && /x$/ { value = $NF; sub(/x$/, "", value); $NF = ""; sub(/ +$/, ""); sub(/^ +/, ""); printf "\"%s\" %s %s %s 1\n", $0, value, value, value; next }
  { inside = 0 }' >"$dir/baselines"
title=$("$kernatlas" show "$run" | sed -n "2s/ in / evaluations in /;1s/ on .*//p" | head -1)
cat "$dir/baselines" "$dir/elites" >"$dir/bars"
count=$(wc -l <"$dir/bars")

gnuplot <<EOF
set terminal svg size 900,$((120 + 34 * count)) font "sans-serif,13" background "white"
set output "$out"
set title "$title" font ",11"
set xlabel "speed-up over plain loops at -O3 -march=native (bars: measured; whiskers: 95 % interval)"
set yrange [$count - 0.4 : -0.6]
set xrange [0:*]
set grid x
set style fill solid 0.85
set lmargin 34
unset key
plot "$dir/bars" using (\$2/2):0:(\$2/2):(0.38):(\$5 == 1 ? 0x9a9a9a : 0x2b7a9b):ytic(1) with boxxyerror lc rgb variable, \
     "$dir/bars" using 2:0:3:4 with xerrorbars lc rgb "black" pt 0 lw 1.2
EOF
