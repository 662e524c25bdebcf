/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Reads its output too, but only what it wrote.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i];
  for (long i = 0; i < N; ++i) y[i] += 1;
}
