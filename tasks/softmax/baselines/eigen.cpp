/*kernatlas
[[launch]]
kernel = "softmax"
grid   = ["ROWS"]
args   = ["x", "y"]
*/
#include <Eigen/Core>

extern "C" void softmax(const float* x, float* y, Block at) {
  const Eigen::Map<const Eigen::ArrayXf> in(x + at.x * COLS, COLS);
  Eigen::Map<Eigen::ArrayXf> out(y + at.x * COLS, COLS);
  out = (in - in.maxCoeff()).exp();
  out *= 1.0f / out.sum();
}
