/*kernatlas
[tune]
LANES = [4, 8, 16]             # partial sums of a dot product
KEYS = [1, 2, 4, 8]            # keys scored together
[constraint]
whole_lanes = "D % LANES == 0"
[[launch]]
kernel = "attention"
grid   = ["S"]
args   = ["q", "k", "v", "o"]
*/
// One query at a time: all its scores, softmax over them, then the weighted sum of the values.

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

extern "C" void attention(const float* __restrict q, const float* __restrict k,
                          const float* __restrict v, float* __restrict o, Block at) {
  const float* __restrict query = q + at.x * D;
  const float scale = 1.0f / std::sqrt(static_cast<float>(D));
  constexpr long kPadded = (S + KEYS - 1) / KEYS * KEYS;
  float score[kPadded];
  for (long j = 0; j < kPadded; j += KEYS) {
    float lane[KEYS][LANES] = {};
    for (long d = 0; d < D; d += LANES) {
      for (int r = 0; r < KEYS; ++r) {
        // Beyond the last key the last one is scored again; the padding is never used.
        const float* __restrict key = k + std::min<long>(j + r, S - 1) * D;
        for (int l = 0; l < LANES; ++l) lane[r][l] += query[d + l] * key[d + l];
      }
    }
    for (int r = 0; r < KEYS; ++r) {
      float dot = 0;
      for (int l = 0; l < LANES; ++l) dot += lane[r][l];
      score[j + r] = dot * scale;
    }
  }
  float largest = score[0];
  for (long j = 1; j < S; ++j) largest = score[j] > largest ? score[j] : largest;
  for (long j = 0; j < S; ++j) score[j] = exp_poly(score[j] - largest);
  float sum = 0;
  for (long j = 0; j < S; ++j) sum += score[j];
  float out[D] = {};
  for (long j = 0; j < S; ++j) {
    for (long d = 0; d < D; ++d) out[d] += score[j] * v[j * D + d];
  }
  for (long d = 0; d < D; ++d) o[at.x * D + d] = out[d] / sum;
}
