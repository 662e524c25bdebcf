/*kernatlas
[[launch]]
kernel = "matmul"
grid   = ["M"]
args   = ["a", "b", "c"]
*/
extern "C" void matmul(const float* __restrict a, const float* __restrict b, float* __restrict c,
                       Block at) {
  for (long j = 0; j < N; ++j) c[at.x * N + j] = 0;
  for (long k = 0; k < K; ++k) {
    for (long j = 0; j < N; ++j) c[at.x * N + j] += a[at.x * K + k] * b[k * N + j];
  }
}
