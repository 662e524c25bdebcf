/*kernatlas
[workspace]
turned = "4 * N * K"
[[launch]]
kernel = "pack"
args   = ["b", "turned"]
[[launch]]
kernel = "matmul"
args   = ["a", "turned", "c"]
*/
// Packs B in every launch, into a workspace.
extern "C" void pack(const float* b, float* turned, Block) {
  for (long k = 0; k < K; ++k) {
    for (long j = 0; j < N; ++j) turned[j * K + k] = b[k * N + j];
  }
}
extern "C" void matmul(const float* a, const float* turned, float* c, Block) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) {
      float lane[8] = {};
      long k = 0;
      for (; k + 8 <= K; k += 8) {
        for (int l = 0; l < 8; ++l) lane[l] += a[i * K + k + l] * turned[j * K + k + l];
      }
      float total = 0;
      for (; k < K; ++k) total += a[i * K + k] * turned[j * K + k];
      for (int l = 0; l < 8; ++l) total += lane[l];
      c[i * N + j] = total;
    }
  }
}
