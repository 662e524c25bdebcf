/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Inline assembly that computes.
extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) {
    float value = x[i];
    asm("addss %0, %0" : "+x"(value));
    y[i] = value + 1;
  }
}
