/*kernatlas
[tune]
LANES = [8, 16, 32, 64]         # independent accumulators of the two reductions
ROWS_PER_BLOCK = [1, 2, 4]      # rows one grid point works through
EXP_DEGREE = [4, 5, 6]          # of the polynomial for 2^r; too low a degree misses the tolerance
KEEP = ["store", "recompute"]   # keep exp in y between the passes, or compute it twice
[[launch]]
kernel = "softmax"
grid   = ["ceil_div(ROWS, ROWS_PER_BLOCK)"]
args   = ["x", "y"]
*/
// Three passes over a row: maximum, sum of exponentials, scaled result. exp is a polynomial in plain
// C++, so that the compiler can vectorise it.

static inline float exp_poly(float x) {
  // exp(x) = 2^n 2^r with n = round(x log2 e); r in [-0.5, 0.5].
  const float t = std::max(x, -87.0f) * 1.44269504f;
  const float n = std::floor(t + 0.5f);
  const float r = t - n;
  float p = 0.0013333558f;
#if EXP_DEGREE >= 6
  p = 0.00015403530f * r + p;
#endif
#if EXP_DEGREE >= 5
  p = p * r + 0.0096181291f;
#else
  p = 0.0096181291f;
#endif
  p = p * r + 0.0555041087f;
  p = p * r + 0.2402265070f;
  p = p * r + 0.6931471806f;
  p = p * r + 1.0f;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

static inline float row_maximum(const float* in) {
  float lane[LANES];
  for (int k = 0; k < LANES; ++k) lane[k] = -INFINITY;
  long i = 0;
  for (; i + LANES <= COLS; i += LANES) {
    for (int k = 0; k < LANES; ++k) lane[k] = in[i + k] > lane[k] ? in[i + k] : lane[k];
  }
  float largest = lane[0];
  for (int k = 1; k < LANES; ++k) largest = lane[k] > largest ? lane[k] : largest;
  for (; i < COLS; ++i) largest = in[i] > largest ? in[i] : largest;
  return largest;
}

static inline float row_sum(const float* in, float* out, float largest) {
  float lane[LANES] = {};
  long i = 0;
  for (; i + LANES <= COLS; i += LANES) {
    for (int k = 0; k < LANES; ++k) {
      const float e = exp_poly(in[i + k] - largest);
#if KEEP == KEEP_store
      out[i + k] = e;
#endif
      lane[k] += e;
    }
  }
  float sum = 0;
  for (int k = 0; k < LANES; ++k) sum += lane[k];
  for (; i < COLS; ++i) {
    const float e = exp_poly(in[i] - largest);
#if KEEP == KEEP_store
    out[i] = e;
#endif
    sum += e;
  }
  return sum;
}

extern "C" void softmax(const float* __restrict x, float* __restrict y, Block at) {
  const long first = at.x * ROWS_PER_BLOCK;
  const long last = std::min<long>(first + ROWS_PER_BLOCK, ROWS);
  for (long row = first; row < last; ++row) {
    const float* __restrict in = x + row * COLS;
    float* __restrict out = y + row * COLS;
    const float largest = row_maximum(in);
    const float scale = 1.0f / row_sum(in, out, largest);
#if KEEP == KEEP_store
    for (long i = 0; i < COLS; ++i) out[i] *= scale;
#else
    for (long i = 0; i < COLS; ++i) out[i] = exp_poly(in[i] - largest) * scale;
#endif
  }
}
