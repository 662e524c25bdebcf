/*kernatlas
[[launch]]
kernel = "rmsnorm"
grid   = ["ROWS"]
args   = ["x", "weight", "y"]
*/
extern "C" void rmsnorm(const float* x, const float* weight, float* y, Block at) {
  const float* in = x + at.x * COLS;
  float* out = y + at.x * COLS;
  float sum = 0;
  for (long i = 0; i < COLS; ++i) sum += in[i] * in[i];
  const float scale = 1.0f / std::sqrt(sum / COLS + 1e-6f);
  for (long i = 0; i < COLS; ++i) out[i] = in[i] * scale * weight[i];
}
