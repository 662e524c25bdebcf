/*kernatlas
[tune]
LANES = [8, 16, 32]             # lanes that each keep a running maximum and sum
CHUNK = [64, 128, 256, 512]     # elements between two rescalings
[constraint]
whole_lanes = "CHUNK % LANES == 0"
[[launch]]
kernel = "softmax"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
// Online softmax: one pass finds maximum and sum together, chunk by chunk, rescaling the sum when the
// maximum grows; a second pass writes the result. The input is read twice instead of three times.

static inline float exp_poly(float x) {
  const float t = std::max(x, -87.0f) * 1.44269504f;
  const float n = std::floor(t + 0.5f);
  const float r = t - n;
  float p = 0.00015403530f;
  p = p * r + 0.0013333558f;
  p = p * r + 0.0096181291f;
  p = p * r + 0.0555041087f;
  p = p * r + 0.2402265070f;
  p = p * r + 0.6931471806f;
  p = p * r + 1.0f;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

extern "C" void softmax(const float* __restrict x, float* __restrict y, Block at) {
  const float* __restrict in = x + at.x * COLS;
  float* __restrict out = y + at.x * COLS;
  float largest = -INFINITY;
  float sum = 0;
  long i = 0;
  for (; i + CHUNK <= COLS; i += CHUNK) {
    float lane[LANES];
    for (int k = 0; k < LANES; ++k) lane[k] = largest;
    for (long j = 0; j < CHUNK; j += LANES) {
      for (int k = 0; k < LANES; ++k) lane[k] = in[i + j + k] > lane[k] ? in[i + j + k] : lane[k];
    }
    float chunk_largest = lane[0];
    for (int k = 1; k < LANES; ++k) chunk_largest = lane[k] > chunk_largest ? lane[k] : chunk_largest;
    float part[LANES] = {};
    for (long j = 0; j < CHUNK; j += LANES) {
      for (int k = 0; k < LANES; ++k) part[k] += exp_poly(in[i + j + k] - chunk_largest);
    }
    float chunk_sum = 0;
    for (int k = 0; k < LANES; ++k) chunk_sum += part[k];
    // The first chunk finds sum = 0: whatever it is scaled by must only be finite.
    sum = sum * exp_poly(std::max(largest, -1e30f) - chunk_largest) + chunk_sum;
    largest = chunk_largest;
  }
  for (; i < COLS; ++i) {
    if (in[i] > largest) {
      sum *= exp_poly(std::max(largest, -1e30f) - in[i]);
      largest = in[i];
    }
    sum += exp_poly(in[i] - largest);
  }
  const float scale = 1.0f / sum;
  for (long j = 0; j < COLS; ++j) out[j] = exp_poly(in[j] - largest) * scale;
}
