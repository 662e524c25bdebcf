/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Every element is rounded a little differently: x + x + 1.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = x[i] + x[i] + 1;
}
