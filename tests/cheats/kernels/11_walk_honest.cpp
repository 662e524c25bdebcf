/*kernatlas
[workspace]
scratch = "1048576"
[[launch]]
kernel = "scale"
args   = ["x", "y", "scratch"]
*/
// Overwrites 1 MiB of its own: a declared workspace.
extern "C" void scale(const float* x, float* y, float* scratch, Block) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
  for (long i = 0; i < 1 << 18; i += 1024) scratch[i] = y[i % N];
}
