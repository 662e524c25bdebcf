#include "archives/selector.h"

#include <stdexcept>

#include "archives/random.h"

namespace kernatlas::archives {
namespace {

const Elite* pick(const Archive& archive, std::size_t position) {
  return archive.champion(archive.occupied()[position]);
}

class Uniform final : public Selector {
 public:
  std::string_view name() const override { return "uniform"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    const std::size_t count = archive.occupied().size();
    return count == 0 ? nullptr : pick(archive, below(rng, count));
  }
};

class Rank final : public Selector {
 public:
  explicit Rank(double pressure) : pressure_(pressure) {
    if (!(pressure > 1 && pressure <= 2)) {
      throw std::invalid_argument("rank_selector: the pressure must be above 1 and at most 2");
    }
  }
  std::string_view name() const override { return "rank"; }
  // The better of two distinct cells out of n is the r-th best with probability
  // 2 (n − 1 − r) / (n (n − 1)): linear ranking at pressure 2.
  const Elite* select(const Archive& archive, Random& rng) const override {
    const std::size_t count = archive.occupied().size();
    if (count == 0) return nullptr;
    const std::size_t first = below(rng, count);
    if (count == 1 || fraction(rng) >= pressure_ - 1) return pick(archive, first);
    std::size_t second = below(rng, count - 1);
    if (second >= first) ++second;
    const Elite* a = pick(archive, first);
    const Elite* b = pick(archive, second);
    return better(a->entry, b->entry) ? a : b;
  }

 private:
  double pressure_;
};

class Rarity final : public Selector {
 public:
  std::string_view name() const override { return "rarity"; }
  const Elite* select(const Archive& archive, Random& rng) const override {
    const std::size_t count = archive.occupied().size();
    if (count == 0) return nullptr;
    for (;;) {
      const std::size_t cell = archive.occupied()[below(rng, count)];
      if (below(rng, archive.occupied_neighbours(cell) + 1) == 0) return archive.champion(cell);
    }
  }
};

}  // namespace

std::unique_ptr<Selector> uniform_selector() {
  return std::make_unique<Uniform>();
}
std::unique_ptr<Selector> rank_selector(double pressure) {
  return std::make_unique<Rank>(pressure);
}
std::unique_ptr<Selector> rarity_selector() {
  return std::make_unique<Rarity>();
}

std::unique_ptr<Selector> make_selector(std::string_view name) {
  if (name == "uniform") return uniform_selector();
  if (name == "rank") return rank_selector(1.8);
  if (name == "rarity") return rarity_selector();
  if (name == "curiosity") return curiosity_selector();
  if (name == "improvement") return improvement_selector();
  if (name == "noise") return noise_selector();
  if (name == "novelty") return novelty_selector();
  return nullptr;
}

std::vector<std::string_view> selector_names() {
  return {"uniform", "rank", "rarity", "curiosity", "improvement", "noise", "novelty"};
}

}  // namespace kernatlas::archives
