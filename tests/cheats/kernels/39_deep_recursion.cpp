/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Runs out of stack.
__attribute__((noinline)) static long deeper(const float* x, long left) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(left);
  return left == 0 ? 0 : deeper(x, left - 1) + frame[0];
}

extern "C" void scale(const float* x, float* y, Block) {
  y[0] = static_cast<float>(deeper(x, 1 << 30));
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
}
