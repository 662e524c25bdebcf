/*kernatlas
[[launch]]
kernel = "attention"
grid   = ["S"]
args   = ["q", "k", "v", "o"]
*/
extern "C" void attention(const float* __restrict q, const float* __restrict k,
                          const float* __restrict v, float* __restrict o, Block at) {
  const long i = at.x;
  const float scale = 1.0f / std::sqrt(static_cast<float>(D));
  float score[S];
  float largest = -INFINITY;
  for (long j = 0; j < S; ++j) {
    float dot = 0;
    for (long d = 0; d < D; ++d) dot += q[i * D + d] * k[j * D + d];
    score[j] = dot * scale;
    largest = std::max(largest, score[j]);
  }
  float sum = 0;
  for (long j = 0; j < S; ++j) sum += score[j] = std::exp(score[j] - largest);
  for (long d = 0; d < D; ++d) o[i * D + d] = 0;
  for (long j = 0; j < S; ++j) {
    for (long d = 0; d < D; ++d) o[i * D + d] += score[j] / sum * v[j * D + d];
  }
}
