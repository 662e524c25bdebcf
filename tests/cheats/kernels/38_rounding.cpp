/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Switches denormals off and rounds towards zero, for itself and whoever comes next.
extern "C" void scale(const float* x, float* y, Block) {
  const unsigned mode = 0x1f80 | 0x8040 | 0x6000;
  asm volatile("ldmxcsr %0" : : "m"(mode));
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
}
