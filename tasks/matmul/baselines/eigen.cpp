/*kernatlas
[[launch]]
kernel = "matmul"
args   = ["a", "b", "c"]
*/
// Eigen has template parameters of these names.
#pragma push_macro("M")
#undef M
#pragma push_macro("N")
#undef N
#pragma push_macro("K")
#undef K
#include <Eigen/Core>
#pragma pop_macro("M")
#pragma pop_macro("N")
#pragma pop_macro("K")

extern "C" void matmul(const float* a, const float* b, float* c, Block) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, M, N).noalias() =
      Eigen::Map<const Matrix>(a, M, K) * Eigen::Map<const Matrix>(b, K, N);
}
