/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Is slow, and returns.
extern "C" void scale(const float* x, float* y, Block) {
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
    asm volatile("" : : "r"(y) : "memory");
  }
}
