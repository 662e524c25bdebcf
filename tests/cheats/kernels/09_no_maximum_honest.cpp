/*kernatlas
[[launch]]
kernel = "softmax"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
// The maximum is found on the way (online softmax).
extern "C" void softmax(const float* x, float* y, Block at) {
  const float* in = x + at.x * COLS;
  float largest = in[0];
  float sum = 1;
  for (long i = 1; i < COLS; ++i) {
    if (in[i] > largest) {
      sum *= std::exp(largest - in[i]);
      largest = in[i];
    }
    sum += std::exp(in[i] - largest);
  }
  for (long i = 0; i < COLS; ++i) y[at.x * COLS + i] = std::exp(in[i] - largest) / sum;
}
