/*kernatlas
[[launch]]
kernel = "layernorm"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
// Copies first, then normalises in place.
extern "C" void layernorm(const float* x, float* y, Block at) {
  float* out = y + at.x * COLS;
  std::memcpy(out, x + at.x * COLS, sizeof(float) * COLS);
  float sum = 0;
  for (long i = 0; i < COLS; ++i) sum += out[i];
  const float mean = sum / COLS;
  float square = 0;
  for (long i = 0; i < COLS; ++i) square += (out[i] - mean) * (out[i] - mean);
  const float scale = 1 / std::sqrt(square / COLS + 1e-5f);
  for (long i = 0; i < COLS; ++i) out[i] = (out[i] - mean) * scale;
}
