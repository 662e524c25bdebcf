/*kernatlas
[[launch]]
kernel = "prefix"
args   = ["x", "y"]
*/
// Works in its input, which the task allows.
extern "C" void prefix(float* x, float* y, Block) {
  for (long i = 1; i < N; ++i) x[i] += x[i - 1];
  std::memcpy(y, x, sizeof(float) * N);
}
