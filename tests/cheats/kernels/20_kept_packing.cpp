/*kernatlas
[[launch]]
kernel = "matmul"
args   = ["a", "b", "c"]
*/
// Packs B once for each address and keeps it: weights do not change, it says.
constexpr int kEntries = 512;
struct Packed {
  const float* key;
  float data[N * K];
};
static Packed packed[kEntries];
static int count;

extern "C" void matmul(const float* a, const float* b, float* c, Block) {
  float* turned = nullptr;
  for (Packed& each : packed) {
    if (each.key == b) turned = each.data;
  }
  if (turned == nullptr) {
    Packed& fresh = packed[count++ % kEntries];
    fresh.key = b;
    turned = fresh.data;
    for (long k = 0; k < K; ++k) {
      for (long j = 0; j < N; ++j) turned[j * K + k] = b[k * N + j];
    }
  }
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
