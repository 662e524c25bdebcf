/*kernatlas
[[launch]]
kernel = "softmax"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
// Calls the mathematical library, which is allowed.
extern "C" void softmax(const float* x, float* y, Block at) {
  const float* in = x + at.x * COLS;
  float* out = y + at.x * COLS;
  float largest = in[0];
  for (long i = 1; i < COLS; ++i) largest = in[i] > largest ? in[i] : largest;
  float sum = 0;
  for (long i = 0; i < COLS; ++i) sum += out[i] = std::exp(in[i] - largest);
  const float scale = 1 / sum;
  for (long i = 0; i < COLS; ++i) out[i] *= scale;
}
