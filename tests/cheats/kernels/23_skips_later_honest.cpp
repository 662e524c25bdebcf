/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Another way through the same work for the tenth part of it.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = i % 10 == 0 ? x[i] + x[i] + 1 : 2 * x[i] + 1;
}
