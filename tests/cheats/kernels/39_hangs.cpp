/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Never returns.
extern "C" void scale(const float* x, float* y, Block) {
  (void)x;
  volatile float* out = y;
  while (true) out[0] = 1;
}
