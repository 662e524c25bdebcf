/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Uses NaN on the way, never in its results.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) {
    const float marked = i % 2 == 0 ? x[i] : std::numeric_limits<float>::quiet_NaN();
    y[i] = 2 * (marked == marked ? marked : x[i]) + 1;
  }
}
