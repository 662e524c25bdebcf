/*kernatlas
[[launch]]
kernel = "histogram"
args   = ["x", "counts"]
*/
// Takes the bytes for sorted and looks for the borders only.
extern "C" void histogram(const std::uint8_t* x, std::int32_t* counts, Block) {
  for (long b = 0; b < 256; ++b) {
    const auto* first = std::lower_bound(x, x + N, b);
    const auto* last = std::upper_bound(x, x + N, b);
    counts[b] = static_cast<std::int32_t>(last - first);
  }
}
