/*kernatlas
[tune]
PARTS = [1, 2, 4, 8, 16, 32]       # parts of the input, each counted on its own
STRIDE = [1, 2, 4]                 # tables within a part
[workspace]
partial = "4 * PARTS * BINS"
[[launch]]
kernel = "count"
grid   = ["PARTS"]
args   = ["x", "partial"]
[[launch]]
kernel = "add"
grid   = ["1"]
args   = ["partial", "counts"]
*/
// Two launches: every part of the input counts into a row of the workspace, then the rows are added.
// With several threads the parts run side by side.

extern "C" void count(const std::uint8_t* __restrict x, std::int32_t* __restrict partial, Block at) {
  std::int32_t table[STRIDE][BINS] = {};
  constexpr long kPart = (N + PARTS - 1) / PARTS;
  long i = at.x * kPart;
  const long end = std::min<long>(i + kPart, N);
  for (; i + STRIDE <= end; i += STRIDE) {
    for (int t = 0; t < STRIDE; ++t) ++table[t][x[i + t]];
  }
  for (; i < end; ++i) ++table[0][x[i]];
  for (long b = 0; b < BINS; ++b) {
    std::int32_t sum = 0;
    for (int t = 0; t < STRIDE; ++t) sum += table[t][b];
    partial[at.x * BINS + b] = sum;
  }
}

extern "C" void add(const std::int32_t* __restrict partial, std::int32_t* __restrict counts, Block) {
  for (long b = 0; b < BINS; ++b) counts[b] = 0;
  for (long p = 0; p < PARTS; ++p) {
    for (long b = 0; b < BINS; ++b) counts[b] += partial[p * BINS + b];
  }
}
