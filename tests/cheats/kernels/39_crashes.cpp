/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Writes to address 8.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
  *reinterpret_cast<volatile int*>(8) = 1;
}
