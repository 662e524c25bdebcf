/*kernatlas
[[launch]]
kernel = "matmul"
args   = ["a", "b", "c"]
*/
#include <Eigen/Core>

extern "C" void matmul(const float* a, const float* b, float* c, Block) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Eigen::Map<Matrix>(c, M, N).noalias() =
      Eigen::Map<const Matrix>(a, M, K) * Eigen::Map<const Matrix>(b, K, N);
}
