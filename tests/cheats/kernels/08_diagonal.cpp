/*kernatlas
[[launch]]
kernel = "matmul"
grid   = ["M"]
args   = ["a", "b", "c"]
*/
// Takes B for a diagonal matrix.
extern "C" void matmul(const float* a, const float* b, float* c, Block at) {
  for (long j = 0; j < N; ++j) c[at.x * N + j] = a[at.x * K + j] * b[j * N + j];
}
