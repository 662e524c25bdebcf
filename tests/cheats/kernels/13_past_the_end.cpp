/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// One element too many.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i <= N; ++i) y[i] = i < N ? 2 * x[i] + 1 : 0;
}
