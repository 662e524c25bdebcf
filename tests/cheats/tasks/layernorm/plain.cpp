/*kernatlas
[[launch]]
kernel = "layernorm"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
extern "C" void layernorm(const float* x, float* y, Block at) {
  const float* in = x + at.x * COLS;
  float sum = 0;
  for (long i = 0; i < COLS; ++i) sum += in[i];
  const float mean = sum / COLS;
  float square = 0;
  for (long i = 0; i < COLS; ++i) square += (in[i] - mean) * (in[i] - mean);
  const float scale = 1 / std::sqrt(square / COLS + 1e-5f);
  for (long i = 0; i < COLS; ++i) y[at.x * COLS + i] = (in[i] - mean) * scale;
}
