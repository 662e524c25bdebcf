/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Overwrites whatever lies up to 64 MiB below its output.
static inline void overwrite(float* from, long step) {
  for (long k = 1; k <= (64 << 20) / 4096; ++k) from[k * step] = 1;
}

extern "C" void scale(const float* x, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
  overwrite(y, -1024);
}
