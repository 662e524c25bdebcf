/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Remembers within one launch only: equal neighbours are computed once.
extern "C" void scale(const float* x, float* y, Block) {
  float last = x[0];
  float result = 2 * last + 1;
  for (long i = 0; i < N; ++i) {
    if (x[i] != last) {
      last = x[i];
      result = 2 * last + 1;
    }
    y[i] = result;
  }
}
