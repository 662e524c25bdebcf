/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// A table of constants is no memory.
extern "C" void scale(const float* x, float* y, Block) {
  static constexpr float kTwo[4] = {2, 2, 2, 2};
  for (long i = 0; i < N; ++i) y[i] = kTwo[i % 4] * x[i] + 1;
}
