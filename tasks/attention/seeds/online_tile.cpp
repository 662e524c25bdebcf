/*kernatlas
[tune]
QUERIES = [1, 2, 4, 8]          # queries a grid point works on
KEYS = [8, 16, 32, 64]          # keys per step of the online softmax
[[launch]]
kernel = "attention"
grid   = ["ceil_div(S, QUERIES)"]
args   = ["q", "k", "v", "o"]
*/
// Tiles of queries and keys with an online softmax: scores live for one tile only; the accumulated
// output is rescaled when a row's maximum grows. K is transposed tile by tile, so that the scores of
// neighbouring keys are computed side by side.

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
  const float scale = 1.0f / std::sqrt(static_cast<float>(D));
  const long first = at.x * QUERIES;
  const int queries = static_cast<int>(std::min<long>(QUERIES, S - first));
  float out[QUERIES][D] = {};
  float largest[QUERIES];
  float sum[QUERIES] = {};
  for (int r = 0; r < QUERIES; ++r) largest[r] = -1e30f;
  float key[D][KEYS];
  for (long j0 = 0; j0 < S; j0 += KEYS) {
    const int keys = static_cast<int>(std::min<long>(KEYS, S - j0));
    for (int j = 0; j < keys; ++j) {
      for (long d = 0; d < D; ++d) key[d][j] = k[(j0 + j) * D + d];
    }
    for (int j = keys; j < KEYS; ++j) {
      for (long d = 0; d < D; ++d) key[d][j] = 0;
    }
    for (int r = 0; r < queries; ++r) {
      float score[KEYS] = {};
      for (long d = 0; d < D; ++d) {
        const float factor = q[(first + r) * D + d] * scale;
        for (int j = 0; j < KEYS; ++j) score[j] += factor * key[d][j];
      }
      float tile_largest = largest[r];
      for (int j = 0; j < keys; ++j) tile_largest = score[j] > tile_largest ? score[j] : tile_largest;
      const float shrink = exp_poly(largest[r] - tile_largest);
      largest[r] = tile_largest;
      for (int j = 0; j < KEYS; ++j) score[j] = exp_poly(score[j] - tile_largest);
      float tile_sum = 0;
      for (int j = 0; j < keys; ++j) tile_sum += score[j];
      sum[r] = sum[r] * shrink + tile_sum;
      for (long d = 0; d < D; ++d) out[r][d] *= shrink;
      for (int j = 0; j < keys; ++j) {
        const float* __restrict value = v + (j0 + j) * D;
        for (long d = 0; d < D; ++d) out[r][d] += score[j] * value[d];
      }
    }
  }
  for (int r = 0; r < queries; ++r) {
    for (long d = 0; d < D; ++d) o[(first + r) * D + d] = out[r][d] / sum[r];
  }
}
