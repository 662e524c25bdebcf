// Selectors that look at where elites lie: novelty and target region.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "archives/measure_space.h"
#include "archives/random.h"
#include "archives/selector.h"

namespace kernatlas::archives {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Novelty final : public Selector {
 public:
  explicit Novelty(std::size_t tournament) : tournament_(tournament) {
    if (tournament == 0) throw std::invalid_argument("novelty_selector: a tournament of nobody");
  }
  std::string_view name() const override { return "novelty"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    const auto cells = archive.occupied();
    if (cells.empty()) return nullptr;
    const MeasureSpace space(archive.axes());
    const Elite* best = nullptr;
    double best_novelty = -1;
    for (std::size_t i = 0; i < tournament_; ++i) {
      const Elite* elite = archive.champion(cells[below(rng, cells.size())]);
      const double novelty = novelty_of(*elite, archive, space);
      if (novelty > best_novelty) {
        best = elite;
        best_novelty = novelty;
      }
    }
    return best;
  }

 private:
  static double novelty_of(const Elite& elite, const Archive& archive, const MeasureSpace& space) {
    std::vector<double> here(space.dimensions()), there(space.dimensions());
    space.scale(elite.entry.measures, here.data());
    std::array<double, 3> nearest{kInfinity, kInfinity, kInfinity};
    for (const std::size_t cell : archive.occupied()) {
      if (cell == elite.cell) continue;
      space.scale(archive.champion(cell)->entry.measures, there.data());
      const double squared = space.squared(here.data(), there.data());
      if (squared >= nearest[2]) continue;
      nearest[2] = squared;
      std::sort(nearest.begin(), nearest.end());
    }
    double sum = 0;
    std::size_t count = 0;
    for (const double squared : nearest) {
      if (squared == kInfinity) break;
      sum += std::sqrt(squared);
      ++count;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }

  std::size_t tournament_;
};

class Target final : public Selector {
 public:
  explicit Target(std::vector<Range> region) : region_(std::move(region)) {
    for (const Range& range : region_) {
      if (!(range.low <= range.high)) {
        throw std::invalid_argument("target_selector: a range is empty or not a number");
      }
    }
  }
  std::string_view name() const override { return "target"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    const Elite* nearest = nullptr;
    double nearest_distance = kInfinity;
    std::uint64_t inside = 0;
    const Elite* chosen = nullptr;
    for (const std::size_t cell : archive.occupied()) {
      const Elite* elite = archive.champion(cell);
      const double distance = distance_to(archive.axes(), elite->entry.measures);
      // Reservoir of one: the k-th inside replaces with probability 1 / k.
      if (distance == 0 && below(rng, ++inside) == 0) chosen = elite;
      if (nearest == nullptr || distance < nearest_distance) {
        nearest = elite;
        nearest_distance = distance;
      }
    }
    return chosen != nullptr ? chosen : nearest;
  }

 private:
  // Squared, in scaled space; exactly 0 inside and positive outside, also where scaling cannot tell
  // two places apart.
  [[nodiscard]] double distance_to(const std::vector<Axis>& axes,
                                   const std::vector<double>& measures) const {
    double sum = 0;
    for (std::size_t i = 0; i < std::min(region_.size(), axes.size()); ++i) {
      const double measure = measures[i];
      const Range& range = region_[i];
      if (measure >= range.low && measure <= range.high) continue;
      const double edge = measure < range.low ? range.low : range.high;
      const bool label = axes[i].scale() == Scale::categorical;
      const double step = label ? 1 : axes[i].scaled(measure) - axes[i].scaled(edge);
      sum += std::max(step * step, std::numeric_limits<double>::min());
    }
    return sum;
  }

  std::vector<Range> region_;
};

}  // namespace

std::unique_ptr<Selector> novelty_selector(std::size_t tournament) {
  return std::make_unique<Novelty>(tournament);
}
std::unique_ptr<Selector> target_selector(std::vector<Range> region) {
  return std::make_unique<Target>(std::move(region));
}

}  // namespace kernatlas::archives
