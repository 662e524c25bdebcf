// Selector: picks a parent from an archive; deterministic given the archive, the generator and what
// it was told, and the same on every standard library.
//
// Some selectors learn from what came of their picks: tell them through learn(). Untold, they pick
// uniformly.
//
// Thread safety: select() from many threads as long as nobody calls learn().
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "archives/archive.h"
#include "archives/random.h"

namespace kernatlas::archives {

// What came of a candidate bred from this parent.
struct Lesson {
  std::size_t parent_cell = 0;  // where the parent lived when it was picked
  AddOutcome outcome;           // of the child; status `refused` for one that was never measured
};

class Selector {
 public:
  virtual ~Selector() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // A champion, or nothing when the archive is empty. O(occupied) at most.
  [[nodiscard]] virtual const Elite* select(const Archive& archive, Random& rng) const = 0;
  // Most selectors have nothing to learn; to one that does, every child has to be told. O(1).
  [[nodiscard]] virtual bool learns() const { return false; }
  virtual void learn(const Lesson&) {}
};

// Every occupied cell with equal probability.
[[nodiscard]] std::unique_ptr<Selector> uniform_selector();
// Linear ranking by objective: the best cell `pressure` times as likely as the average, the worst
// 2 − pressure times. 1 < pressure ≤ 2, else std::invalid_argument. O(1): it is drawn as a mixture
// of a uniform pick and a tournament of two distinct cells, which has exactly these probabilities.
[[nodiscard]] std::unique_ptr<Selector> rank_selector(double pressure);
// A cell with n occupied neighbours is chosen with probability proportional to 1 / (1 + n). O(1 +
// n) expected.
[[nodiscard]] std::unique_ptr<Selector> rarity_selector();

// Cells whose children enter the archive: in proportion to a cell's curiosity, which starts at 1,
// grows by 1 for a child that opens or improves a cell, shrinks by ½ for any other, and stays
// within [0.1, 50] (after Cully and Demiris, "Quality and diversity optimization: a unifying
// modular framework", 2018). Learns. O(occupied).
[[nodiscard]] std::unique_ptr<Selector> curiosity_selector();
// Cells that were improved lately: in proportion to the estimated chance (s + 1) / (n + 2) that an
// entry falling into the cell becomes its champion, from s successes in n entries seen, both halved
// whenever n reaches 32, so that old news fade. Learns. O(occupied).
[[nodiscard]] std::unique_ptr<Selector> improvement_selector();
// Elites whose objective rests on few measurements: in proportion to 1 / samples. For re-timing
// rather than breeding. O(occupied).
[[nodiscard]] std::unique_ptr<Selector> noise_selector();
// The elite least like the others among `tournament` cells drawn uniformly (distinct or not): mean
// distance to its 3 nearest champions in the axes' scaled space (archives/measure_space.h).
// O(tournament · occupied · axes). tournament ≥ 1, else std::invalid_argument.
[[nodiscard]] std::unique_ptr<Selector> novelty_selector(std::size_t tournament = 4);

// Bounds on one axis; −∞ and ∞ leave a side open.
struct Range {
  double low = 0;
  double high = 0;
};
// Uniformly among the elites whose measures lie in all ranges, ends included; the nearest one to
// the region, in scaled space, when there are none (ties: who was opened first). One range per axis
// of the archives it is used with; missing ones are open. A low above its high or NaN is
// std::invalid_argument. O(occupied · axes).
[[nodiscard]] std::unique_ptr<Selector> target_selector(std::vector<Range> region);

// By name: "uniform", "rank" (pressure 1.8), "rarity", "curiosity", "improvement", "noise",
// "novelty"; null when unknown. A target region has no default and needs its own maker.
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name);
[[nodiscard]] std::vector<std::string_view> selector_names();

}  // namespace kernatlas::archives
