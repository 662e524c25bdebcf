/*kernatlas
[[launch]]
kernel = "matmul"
args   = ["a", "b", "c"]
*/
// Every launch does its own work.
static void multiply(const float* a, const float* b, float* __restrict c) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) c[i * N + j] = 0;
    for (long k = 0; k < K; ++k) {
      for (long j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
    }
  }
}

extern "C" void matmul(const float* a, const float* b, float* c, Block) {
  multiply(a, b, c);
}
