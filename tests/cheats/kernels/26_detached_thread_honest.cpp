/*kernatlas
[[launch]]
kernel = "scale"
grid   = ["ceil_div(N, 4096)"]
args   = ["x", "y"]
*/
// Offers a grid, for the engine to spread over threads.
extern "C" void scale(const float* x, float* y, Block at) {
  const long end = std::min<long>((at.x + 1) * 4096, N);
  for (long i = at.x * 4096; i < end; ++i) y[i] = 2 * x[i] + 1;
}
