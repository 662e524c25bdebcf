// Selectors that weigh cells: by what they were told (curiosity, improvement) or by what is stored
// (noise).
#include <algorithm>
#include <unordered_map>

#include "archives/random.h"
#include "archives/selector.h"

namespace kernatlas::archives {
namespace {

// An occupied cell with probability in proportion to its weight, positive and finite.
template <typename Weight>
const Elite* roulette(const Archive& archive, Random& rng, Weight weight) {
  const auto cells = archive.occupied();
  if (cells.empty()) return nullptr;
  double total = 0;
  for (const std::size_t cell : cells) total += weight(cell);
  double left = fraction(rng) * total;
  for (const std::size_t cell : cells) {
    left -= weight(cell);
    if (left < 0) return archive.champion(cell);
  }
  return archive.champion(cells.back());  // rounding
}

bool entered(const AddOutcome& outcome) {
  return outcome.status == AddStatus::opened || outcome.status == AddStatus::improved;
}

class Curiosity final : public Selector {
 public:
  std::string_view name() const override { return "curiosity"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    return roulette(archive, rng, [this](std::size_t cell) {
      const auto known = scores_.find(cell);
      return known == scores_.end() ? 1.0 : known->second;
    });
  }
  bool learns() const override { return true; }
  void learn(const Lesson& lesson) override {
    double& score = scores_.try_emplace(lesson.parent_cell, 1.0).first->second;
    score = std::clamp(score + (entered(lesson.outcome) ? 1.0 : -0.5), 0.1, 50.0);
  }

 private:
  std::unordered_map<std::size_t, double> scores_;
};

class Improvement final : public Selector {
 public:
  std::string_view name() const override { return "improvement"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    return roulette(archive, rng, [this](std::size_t cell) {
      const auto known = history_.find(cell);
      const History history = known == history_.end() ? History{} : known->second;
      return (history.successes + 1) / (history.entries + 2);
    });
  }
  bool learns() const override { return true; }
  void learn(const Lesson& lesson) override {
    if (lesson.outcome.status == AddStatus::refused) return;  // fell into no cell
    History& history = history_[lesson.outcome.cell];
    history.entries += 1;
    history.successes += entered(lesson.outcome);
    if (history.entries < 32) return;
    history.entries /= 2;
    history.successes /= 2;
  }

 private:
  struct History {
    double entries = 0;
    double successes = 0;
  };
  std::unordered_map<std::size_t, History> history_;
};

class Noise final : public Selector {
 public:
  std::string_view name() const override { return "noise"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    return roulette(archive, rng, [&](std::size_t cell) {
      const auto samples = std::max<std::uint64_t>(archive.champion(cell)->entry.samples, 1);
      return 1 / static_cast<double>(samples);
    });
  }
};

}  // namespace

std::unique_ptr<Selector> curiosity_selector() {
  return std::make_unique<Curiosity>();
}
std::unique_ptr<Selector> improvement_selector() {
  return std::make_unique<Improvement>();
}
std::unique_ptr<Selector> noise_selector() {
  return std::make_unique<Noise>();
}

}  // namespace kernatlas::archives
