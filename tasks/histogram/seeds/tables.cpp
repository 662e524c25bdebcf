/*kernatlas
[tune]
TABLES = [1, 2, 4, 8, 16]          # tables filled in turn, so that equal neighbours do not wait
WORD = ["bytes", "words"]          # read byte by byte, or eight bytes at once
[[launch]]
kernel = "histogram"
args   = ["x", "counts"]
*/
// Several tables on the stack, element i going to table i mod TABLES: two equal neighbours do not
// update the same counter one right after the other. Summed at the end.

extern "C" void histogram(const std::uint8_t* __restrict x, std::int32_t* __restrict counts, Block) {
  std::int32_t table[TABLES][BINS] = {};
  long i = 0;
#if WORD == WORD_words
  for (; i + 8 <= N; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, x + i, 8);
    for (int b = 0; b < 8; ++b) ++table[b % TABLES][(word >> (8 * b)) & 255];
  }
#else
  for (; i + TABLES <= N; i += TABLES) {
    for (int t = 0; t < TABLES; ++t) ++table[t][x[i + t]];
  }
#endif
  for (; i < N; ++i) ++table[0][x[i]];
  for (long b = 0; b < BINS; ++b) {
    std::int32_t sum = 0;
    for (int t = 0; t < TABLES; ++t) sum += table[t][b];
    counts[b] = sum;
  }
}
