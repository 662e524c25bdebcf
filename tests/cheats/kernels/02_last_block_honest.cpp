/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Whole blocks first, then what is left.
extern "C" void scale(const float* x, float* y, Block) {
  long i = 0;
  for (; i + 64 <= N; i += 64) {
    for (long k = i; k < i + 64; ++k) y[k] = 2 * x[k] + 1;
  }
  for (; i < N; ++i) y[i] = 2 * x[i] + 1;
}
