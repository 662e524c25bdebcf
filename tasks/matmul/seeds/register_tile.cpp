/*kernatlas
[tune]
MR = [1, 2, 4, 6, 8]           # rows of C held in registers
NR = [8, 16, 32, 48, 64]       # columns of C held in registers
PACK = ["direct", "packed"]    # read B where it lies, or from a panel copied next to itself
[constraint]
fits_registers = "MR * NR <= 384"
[workspace]
panel = "4 * K * NR * ceil_div(N, NR)"
[[launch]]
kernel = "pack"
grid   = ["ceil_div(N, NR)"]
args   = ["b", "panel"]
[[launch]]
kernel = "matmul"
grid   = ["ceil_div(N, NR)", "ceil_div(M, MR)"]
args   = ["a", "b", "panel", "c"]
*/
// A tile of C in registers while K runs; optionally B is first copied into panels of NR columns, so
// that the inner loop reads memory in order and edges are padded with zeros.

typedef float Row __attribute__((vector_size(NR * 4 > 64 ? 64 : NR * 4), aligned(4)));
constexpr int kWidth = sizeof(Row) / 4;
constexpr int kRows = NR / kWidth;  // vectors per row of the tile

extern "C" void pack(const float* __restrict b, float* __restrict panel, Block at) {
#if PACK == PACK_packed
  float* __restrict out = panel + at.x * K * NR;
  const long j0 = at.x * NR;
  const long width = std::min<long>(NR, N - j0);
  for (long k = 0; k < K; ++k) {
    for (long j = 0; j < width; ++j) out[k * NR + j] = b[k * N + j0 + j];
    for (long j = width; j < NR; ++j) out[k * NR + j] = 0;
  }
#else
  (void)b;
  (void)panel;
  (void)at;
#endif
}

// Rows i0 … i0 + rows of the tile whose first column is j0; `b` has `stride` floats a row.
template <int rows>
static inline void tile(const float* __restrict a, const float* __restrict b, long stride,
                        float* __restrict c, long i0, long j0, long width) {
  Row sum[rows][kRows] = {};
  for (long k = 0; k < K; ++k) {
    Row values[kRows];
    for (int v = 0; v < kRows; ++v) {
      values[v] = *reinterpret_cast<const Row*>(b + k * stride + v * kWidth);
    }
    for (int r = 0; r < rows; ++r) {
      const float factor = a[(i0 + r) * K + k];
      for (int v = 0; v < kRows; ++v) sum[r][v] += factor * values[v];
    }
  }
  for (int r = 0; r < rows; ++r) {
    float* __restrict out = c + (i0 + r) * N + j0;
    if (width == NR) {
      for (int v = 0; v < kRows; ++v) *reinterpret_cast<Row*>(out + v * kWidth) = sum[r][v];
    } else {
      for (long j = 0; j < width; ++j) out[j] = sum[r][j / kWidth][j % kWidth];
    }
  }
}

static inline void edge(const float* __restrict a, const float* __restrict b,
                        float* __restrict c, long i, long j0, long width) {
  float sum[NR] = {};
  for (long k = 0; k < K; ++k) {
    for (long j = 0; j < width; ++j) sum[j] += a[i * K + k] * b[k * N + j0 + j];
  }
  for (long j = 0; j < width; ++j) c[i * N + j0 + j] = sum[j];
}

extern "C" void matmul(const float* __restrict a, const float* __restrict b,
                       const float* __restrict panel, float* __restrict c, Block at) {
  const long i0 = at.y * MR;
  const long j0 = at.x * NR;
  const long rows = std::min<long>(MR, M - i0);
  const long width = std::min<long>(NR, N - j0);
#if PACK == PACK_packed
  (void)b;
  const float* __restrict source = panel + at.x * K * NR;
  if (rows == MR) {
    tile<MR>(a, source, NR, c, i0, j0, width);
  } else {
    for (long r = 0; r < rows; ++r) tile<1>(a, source, NR, c, i0 + r, j0, width);
  }
#else
  (void)panel;
  if (rows == MR && width == NR) {
    tile<MR>(a, b + j0, N, c, i0, j0, width);
  } else {
    for (long r = 0; r < rows; ++r) edge(a, b, c, i0 + r, j0, width);
  }
#endif
}
