/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Knows the shape, which is legal: the compiler sees N.
extern "C" void scale(const float* x, float* y, Block) {
#if N % 32 == 0
  for (long i = 0; i < N; i += 32) {
    for (long k = 0; k < 32; ++k) y[i + k] = 2 * x[i + k] + 1;
  }
#else
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
#endif
}
