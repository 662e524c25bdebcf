/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Returns.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
  return;
}
