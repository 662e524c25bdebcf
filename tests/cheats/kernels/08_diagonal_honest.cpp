/*kernatlas
[[launch]]
kernel = "matmul"
grid   = ["M"]
args   = ["a", "b", "c"]
*/
// Skips zeros of A, which is right for every A.
extern "C" void matmul(const float* a, const float* b, float* c, Block at) {
  float* out = c + at.x * N;
  for (long j = 0; j < N; ++j) out[j] = 0;
  for (long k = 0; k < K; ++k) {
    const float factor = a[at.x * K + k];
    if (factor == 0) continue;
    for (long j = 0; j < N; ++j) out[j] += factor * b[k * N + j];
  }
}
