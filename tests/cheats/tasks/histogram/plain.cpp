/*kernatlas
[[launch]]
kernel = "histogram"
args   = ["x", "counts"]
*/
extern "C" void histogram(const std::uint8_t* x, std::int32_t* counts, Block) {
  for (long b = 0; b < 256; ++b) counts[b] = 0;
  for (long i = 0; i < N; ++i) ++counts[x[i]];
}
