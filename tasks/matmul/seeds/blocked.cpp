/*kernatlas
[tune]
MB = [1, 2, 4, 8, 16]          # rows of C a grid point computes
NB = [32, 64, 128, 256, 512]   # columns of C it keeps close while K runs
UNROLL_K = [1, 2, 4, 8]        # rows of B added in one sweep over the columns
[[launch]]
kernel = "matmul"
grid   = ["ceil_div(N, NB)", "ceil_div(M, MB)"]
args   = ["a", "b", "c"]
*/
// Blocks of C in the cache: for every row of the block, several rows of B are added per sweep, so that
// C is loaded and stored once per UNROLL_K multiplications.

extern "C" void matmul(const float* __restrict a, const float* __restrict b, float* __restrict c,
                       Block at) {
  const long j0 = at.x * NB;
  const long width = std::min<long>(NB, N - j0);
  const long i1 = std::min<long>((at.y + 1) * MB, M);
  for (long i = at.y * MB; i < i1; ++i) {
    float* __restrict out = c + i * N + j0;
    for (long j = 0; j < width; ++j) out[j] = 0;
    long k = 0;
    for (; k + UNROLL_K <= K; k += UNROLL_K) {
      float factor[UNROLL_K];
      for (int u = 0; u < UNROLL_K; ++u) factor[u] = a[i * K + k + u];
      const float* __restrict rows = b + k * N + j0;
      for (long j = 0; j < width; ++j) {
        float sum = out[j];
        for (int u = 0; u < UNROLL_K; ++u) sum += factor[u] * rows[u * N + j];
        out[j] = sum;
      }
    }
    for (; k < K; ++k) {
      const float factor = a[i * K + k];
      const float* __restrict row = b + k * N + j0;
      for (long j = 0; j < width; ++j) out[j] += factor * row[j];
    }
  }
}
