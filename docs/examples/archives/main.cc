// Quality diversity without kernels: the best throw of a three-joint arm for every place it
// reaches. An elitist grid reports; a soft archive, which the grid watches, is what the search
// works with.
#include <archives/metrics.h>
#include <archives/registry.h>
#include <archives/result_archive.h>
#include <archives/selector.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <vector>

namespace qd = kernatlas::archives;
using Joints = std::array<double, 3>;

// Where the hand is; the more alike the joints are bent, the better.
qd::Entry evaluate(std::uint64_t id, const Joints& joints) {
  double x = 0, y = 0, angle = 0, mean = 0, spread = 0;
  for (const double joint : joints) {
    angle += joint;
    x += std::cos(angle);
    y += std::sin(angle);
    mean += joint / 3;
  }
  for (const double joint : joints) spread += (joint - mean) * (joint - mean);
  return {.id = id, .objective = -spread, .measures = {x, y}};
}

int main() {
  const std::vector<qd::Axis> axes{qd::Axis::linear("x", "m", -3, 3, 30),
                                   qd::Axis::linear("y", "m", -3, 3, 30)};
  const qd::ArchiveKinds kinds = qd::builtin_kinds();
  auto search = kinds.make({.kind = "soft", .axes = axes, .options = {{"threshold_min", -30}}});
  auto grid = kinds.make({.kind = "grid", .axes = axes, .floor = -30});
  if (!search || !grid) {
    std::puts((search ? grid : search).error().c_str());
    return 1;
  }
  const qd::ResultArchive result(**search, std::move(*grid));
  const auto selector = qd::make_selector("curiosity");
  kernatlas::archives::Random rng(1);
  std::normal_distribution<double> step(0, 0.3);
  std::vector<Joints> tried;
  for (std::uint64_t id = 0; id < 20000; ++id) {
    const qd::Elite* parent = selector->select(**search, rng);
    Joints joints = parent == nullptr ? Joints{} : tried[parent->entry.id];
    for (double& joint : joints) joint = std::remainder(joint + step(rng), 2 * std::numbers::pi);
    tried.push_back(joints);
    const std::size_t cell = parent == nullptr ? 0 : parent->cell;
    selector->learn({.parent_cell = cell, .outcome = (*search)->add(evaluate(id, joints))});
  }
  const qd::Stats& stats = result.archive().stats();
  std::printf("cells %zu, best %.4f, QD score %.0f, entropy %.2f bits\n", stats.occupied,
              stats.best, stats.qd_score, qd::axis_entropies(result.archive())[0]);
}
