/*kernatlas
[[launch]]
kernel = "prefix"
args   = ["x", "y"]
*/
extern "C" void prefix(const float* x, float* y, Block) {
  float sum = 0;
  for (long i = 0; i < N; ++i) y[i] = sum += x[i];
}
