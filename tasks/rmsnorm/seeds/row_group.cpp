/*kernatlas
[tune]
GROUP = [2, 4, 8]        # rows taken together, so that each weight is read once for all of them
LANES = [4, 8, 16]       # partial sums per row
STRIP = [32, 64, 128]    # columns handled between two changes of row
[constraint]
whole_lanes = "STRIP % LANES == 0"
[[launch]]
kernel = "rmsnorm"
grid   = ["ceil_div(ROWS, GROUP)"]
args   = ["x", "weight", "y"]
*/
// A group of rows side by side: sums for all rows strip by strip, then the scaled copy strip by strip,
// with the strip of weights staying in registers or the first-level cache.

extern "C" void rmsnorm(const float* __restrict x, const float* __restrict weight,
                        float* __restrict y, Block at) {
  const long first = at.x * GROUP;
  const int rows = static_cast<int>(std::min<long>(GROUP, ROWS - first));
  float lane[GROUP][LANES] = {};
  float tail[GROUP] = {};
  long c = 0;
  for (; c + STRIP <= COLS; c += STRIP) {
    for (int r = 0; r < rows; ++r) {
      const float* in = x + (first + r) * COLS + c;
      for (int i = 0; i < STRIP; i += LANES) {
        for (int k = 0; k < LANES; ++k) lane[r][k] += in[i + k] * in[i + k];
      }
    }
  }
  float scale[GROUP];
  for (int r = 0; r < rows; ++r) {
    const float* in = x + (first + r) * COLS;
    for (long i = c; i < COLS; ++i) tail[r] += in[i] * in[i];
    for (int k = 0; k < LANES; ++k) tail[r] += lane[r][k];
    scale[r] = 1.0f / std::sqrt(tail[r] / COLS + 1e-6f);
  }
  for (c = 0; c < COLS; c += STRIP) {
    const long width = std::min<long>(STRIP, COLS - c);
    for (int r = 0; r < rows; ++r) {
      const float* __restrict in = x + (first + r) * COLS + c;
      float* __restrict out = y + (first + r) * COLS + c;
      for (long i = 0; i < width; ++i) out[i] = in[i] * scale[r] * weight[c + i];
    }
  }
}
