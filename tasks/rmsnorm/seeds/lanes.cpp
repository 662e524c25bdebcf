/*kernatlas
[tune]
LANES = [4, 8, 16, 32, 64]       # independent partial sums
ROWS_PER_BLOCK = [1, 2, 4, 8]    # rows one grid point works through
STORE = ["cached", "streaming"]  # ordinary stores, or stores that bypass the caches
[[launch]]
kernel = "rmsnorm"
grid   = ["ceil_div(ROWS, ROWS_PER_BLOCK)"]
args   = ["x", "weight", "y"]
*/
// One row after the other: partial sums in LANES accumulators, then a scaled copy.

static inline float row_scale(const float* in) {
  float lane[LANES] = {};
  long i = 0;
  for (; i + LANES <= COLS; i += LANES) {
    for (int k = 0; k < LANES; ++k) lane[k] += in[i + k] * in[i + k];
  }
  float sum = 0;
  for (int k = 0; k < LANES; ++k) sum += lane[k];
  for (; i < COLS; ++i) sum += in[i] * in[i];
  return 1.0f / std::sqrt(sum / COLS + 1e-6f);
}

static inline void scale_row(const float* __restrict in, const float* __restrict weight,
                             float* __restrict out, float scale) {
  long i = 0;
#if STORE == STORE_streaming && defined(__AVX__)
  // Streaming stores want aligned addresses: plain ones up to the first boundary.
  for (; i < COLS && (reinterpret_cast<std::uintptr_t>(out + i) & 31) != 0; ++i) {
    out[i] = in[i] * scale * weight[i];
  }
  const __m256 factor = _mm256_set1_ps(scale);
  for (; i + 8 <= COLS; i += 8) {
    const __m256 scaled = _mm256_mul_ps(_mm256_loadu_ps(in + i), factor);
    _mm256_stream_ps(out + i, _mm256_mul_ps(scaled, _mm256_loadu_ps(weight + i)));
  }
#endif
  for (; i < COLS; ++i) out[i] = in[i] * scale * weight[i];
}

extern "C" void rmsnorm(const float* __restrict x, const float* __restrict weight,
                        float* __restrict y, Block at) {
  const long first = at.x * ROWS_PER_BLOCK;
  const long last = std::min<long>(first + ROWS_PER_BLOCK, ROWS);
  for (long row = first; row < last; ++row) {
    scale_row(x + row * COLS, weight, y + row * COLS, row_scale(x + row * COLS));
  }
}
