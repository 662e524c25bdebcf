/*kernatlas
[tune]
MB = [1, 2, 4, 8]              # rows of C that share what is loaded of B
NB = [32, 64, 128, 256, 512]   # columns of C kept close while K runs
UNROLL_K = [1, 2, 4, 8]        # rows of B added in one sweep over the columns
[[launch]]
kernel = "matmul"
grid   = ["ceil_div(N, NB)", "ceil_div(M, MB)"]
args   = ["a", "b", "c"]
*/
// Blocks of C in the cache: several rows of B are added to several rows of C per sweep, so that C is
// loaded and stored once per UNROLL_K multiplications, and B once per MB.

template <int rows, int unroll>
static inline void sweep(const float* __restrict a, const float* __restrict b, float* __restrict c,
                         long width) {
  float factor[rows][unroll];
  for (int r = 0; r < rows; ++r) {
    for (int u = 0; u < unroll; ++u) factor[r][u] = a[r * K + u];
  }
  for (long j = 0; j < width; ++j) {
    for (int r = 0; r < rows; ++r) {
      float sum = c[r * N + j];
      for (int u = 0; u < unroll; ++u) sum += factor[r][u] * b[u * N + j];
      c[r * N + j] = sum;
    }
  }
}

template <int rows>
static inline void block(const float* __restrict a, const float* __restrict b, float* __restrict c,
                         long width) {
  for (int r = 0; r < rows; ++r) {
    for (long j = 0; j < width; ++j) c[r * N + j] = 0;
  }
  long k = 0;
  for (; k + UNROLL_K <= K; k += UNROLL_K) sweep<rows, UNROLL_K>(a + k, b + k * N, c, width);
  for (; k < K; ++k) sweep<rows, 1>(a + k, b + k * N, c, width);
}

extern "C" void matmul(const float* __restrict a, const float* __restrict b, float* __restrict c,
                       Block at) {
  const long j0 = at.x * NB;
  const long i0 = at.y * MB;
  const long width = std::min<long>(NB, N - j0);
  const long rows = std::min<long>(MB, M - i0);
  if (rows == MB) {
    block<MB>(a + i0 * K, b + j0, c + i0 * N + j0, width);
  } else {
    for (long i = i0; i < i0 + rows; ++i) block<1>(a + i * K, b + j0, c + i * N + j0, width);
  }
}
