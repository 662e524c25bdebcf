/*kernatlas
[[launch]]
kernel = "histogram"
args   = ["x", "counts"]
*/
// Counts runs: fast when sorted, right in any order.
extern "C" void histogram(const std::uint8_t* x, std::int32_t* counts, Block) {
  for (long b = 0; b < 256; ++b) counts[b] = 0;
  for (long i = 0; i < N;) {
    long end = i + 1;
    while (end < N && x[end] == x[i]) ++end;
    counts[x[i]] += static_cast<std::int32_t>(end - i);
    i = end;
  }
}
