/*kernatlas
[[launch]]
kernel = "rmsnorm"
grid   = ["ROWS"]
args   = ["x", "weight", "y"]
*/
#include <Eigen/Core>

extern "C" void rmsnorm(const float* x, const float* weight, float* y, Block at) {
  const Eigen::Map<const Eigen::ArrayXf> in(x + at.x * COLS, COLS);
  const Eigen::Map<const Eigen::ArrayXf> w(weight, COLS);
  Eigen::Map<Eigen::ArrayXf> out(y + at.x * COLS, COLS);
  const float scale = 1.0f / std::sqrt(in.square().sum() / COLS + 1e-6f);
  out = in * scale * w;
}
