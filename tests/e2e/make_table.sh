#!/bin/sh
# Writes a recorded table of five tunables with eight values each (32,768 rows) to the file named: a
# smooth landscape with one optimum, and one row in sixteen that does not compile.
awk 'BEGIN {
  print "A,B,C,D,E,status,median_ms,mean_ms,min_ms,cv,runs,compile_ms,benchmark_ms,overhead_ms"
  for (a = 0; a < 8; ++a) for (b = 0; b < 8; ++b) for (c = 0; c < 8; ++c)
    for (d = 0; d < 8; ++d) for (e = 0; e < 8; ++e) {
      printf "%d,%d,%d,%d,%d,", 2 ^ a, 2 ^ b, c, d, e
      if ((a * 3 + b * 5 + c * 7 + d * 11 + e * 13) % 16 == 0) { print "compile_error,,,,,,1,0,0"; continue }
      ms = 1 + (a - 5) ^ 2 + (b - 2) ^ 2 + 0.5 * (c - 6) ^ 2 + 0.3 * (d - e) ^ 2
      printf "measured,%.3f,%.3f,%.3f,0.01,10,1,1,1\n", ms, ms, ms
    }
}' >"$1"
