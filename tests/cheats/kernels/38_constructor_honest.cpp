/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// A table that the compiler computes.
static constexpr auto kTable = [] {
  std::array<float, 1024> table{};
  for (float& value : table) value = 2;
  return table;
}();

extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = kTable[i % 1024] * x[i] + 1;
}
