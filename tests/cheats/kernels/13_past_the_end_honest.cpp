/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// The last vector overlaps the one before: stores end where the output ends.
extern "C" void scale(const float* x, float* y, Block) {
  static_assert(N >= 8);
  for (long i = 0; i < N + 7; i += 8) {
    const long first = std::min<long>(i, N - 8);
    for (long k = 0; k < 8; ++k) y[first + k] = 2 * x[first + k] + 1;
  }
}
