/*kernatlas
[[launch]]
kernel = "matmul"
args   = ["a", "b", "c"]
*/
extern "C" {
void openblas_set_num_threads(int);
void cblas_sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha,
                 const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc);
}

extern "C" void matmul(const float* a, const float* b, float* c, Block) {
  constexpr int kRowMajor = 101;
  constexpr int kNoTrans = 111;
  openblas_set_num_threads(1);
  cblas_sgemm(kRowMajor, kNoTrans, kNoTrans, M, N, K, 1.0f, a, K, b, N, 0.0f, c, N);
}
