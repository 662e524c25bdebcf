/*kernatlas
[workspace]
scores = "4 * S * S"
[[launch]]
kernel = "attention"
args   = ["q", "k", "v", "scores", "o"]
*/
// Eigen has template parameters of these names.
#pragma push_macro("S")
#undef S
#pragma push_macro("D")
#undef D
#include <Eigen/Core>
#pragma pop_macro("S")
#pragma pop_macro("D")

extern "C" void attention(const float* q, const float* k, const float* v, float* scores, float* o,
                          Block) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> queries(q, S, D);
  const Eigen::Map<const Matrix> keys(k, S, D);
  const Eigen::Map<const Matrix> values(v, S, D);
  Eigen::Map<Matrix> weights(scores, S, S);
  weights.noalias() = queries * keys.transpose() * (1.0f / std::sqrt(static_cast<float>(D)));
  for (long i = 0; i < S; ++i) {
    weights.row(i) = (weights.row(i).array() - weights.row(i).maxCoeff()).exp();
    weights.row(i) /= weights.row(i).sum();
  }
  Eigen::Map<Matrix>(o, S, D).noalias() = weights * values;
}
