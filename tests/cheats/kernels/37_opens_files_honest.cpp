/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Text in the source is no file access.
extern "C" void scale(const float* x, float* y, Block) {
  static constexpr char kName[] = "/etc/hostname";
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + (kName[0] == '/' ? 1 : 0);
}
