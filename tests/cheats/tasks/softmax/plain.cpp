/*kernatlas
[[launch]]
kernel = "softmax"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
extern "C" void softmax(const float* x, float* y, Block at) {
  const float* in = x + at.x * COLS;
  float* out = y + at.x * COLS;
  const float largest = *std::max_element(in, in + COLS);
  float sum = 0;
  for (long i = 0; i < COLS; ++i) sum += out[i] = std::exp(in[i] - largest);
  for (long i = 0; i < COLS; ++i) out[i] /= sum;
}
