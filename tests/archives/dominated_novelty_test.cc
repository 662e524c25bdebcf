#include "archives/dominated_novelty.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "archives/measure_space.h"
#include "archives/random.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::entry;
using testing::make;

namespace {

std::vector<Axis> axes() {
  return {Axis::linear("x", "", 0, 1, 4), Axis::log2("y", "", 1, 16, 4),
          Axis::categorical("kind", {"a", "b"})};
}

ArchiveSpec spec_of(double capacity, double neighbours) {
  return {.kind = "dominated-novelty",
          .axes = axes(),
          .options = {{"capacity", capacity}, {"neighbours", neighbours}}};
}

// The definition, from scratch: everybody's score among all, the lowest goes.
class Reference {
 public:
  Reference(std::size_t capacity, std::size_t neighbours)
      : capacity_(capacity), neighbours_(neighbours) {}

  void add(const Entry& entry) {
    stored_.push_back(entry);
    if (stored_.size() <= capacity_) return;
    std::size_t lowest = 0;
    for (std::size_t i = 1; i < stored_.size(); ++i) {
      const double a = score(i), b = score(lowest);
      if (a < b || (a == b && better(stored_[lowest], stored_[i]))) lowest = i;
    }
    stored_.erase(stored_.begin() + static_cast<std::ptrdiff_t>(lowest));
  }
  [[nodiscard]] std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> ids;
    for (const Entry& each : stored_) ids.push_back(each.id);
    std::sort(ids.begin(), ids.end());
    return ids;
  }

 private:
  [[nodiscard]] double score(std::size_t i) const {
    std::vector<double> distances;
    for (const Entry& other : stored_) {
      if (!better(other, stored_[i])) continue;
      double a[3], b[3];
      space_.scale(stored_[i].measures, a);
      space_.scale(other.measures, b);
      distances.push_back(std::sqrt(space_.squared(a, b)));
    }
    if (distances.empty()) return std::numeric_limits<double>::infinity();
    std::sort(distances.begin(), distances.end());
    distances.resize(std::min(distances.size(), neighbours_));
    double sum = 0;
    for (const double each : distances) sum += each;
    return sum / static_cast<double>(distances.size());
  }

  std::size_t capacity_, neighbours_;
  MeasureSpace space_{axes()};
  std::vector<Entry> stored_;
};

std::vector<std::uint64_t> all_ids(const Archive& archive) {
  std::vector<std::uint64_t> ids;
  for (const Elite& elite : archive.state().elites) ids.push_back(elite.entry.id);
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

TEST_CASE("the incremental archive stores what the definition says, after every add") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 rng(seed);
    const std::size_t capacity = 1 + below(rng, 25);
    const std::size_t neighbours = 1 + below(rng, 5);
    const auto archive =
        make(spec_of(static_cast<double>(capacity), static_cast<double>(neighbours)));
    Reference reference(capacity, neighbours);
    double best = -std::numeric_limits<double>::infinity();
    for (std::uint64_t id = 0; id < 150; ++id) {
      // Odd seeds: few places and objectives, so that scores tie.
      const bool coarse = seed % 2 == 1;
      const double x = coarse ? static_cast<double>(below(rng, 4)) / 3 : fraction(rng);
      const double y = coarse ? static_cast<double>(1 + below(rng, 3)) : 1 + 15 * fraction(rng);
      const double objective = coarse ? static_cast<double>(below(rng, 5)) : fraction(rng);
      const Entry each = entry(id, objective, {x, y, static_cast<double>(below(rng, 2))});
      reference.add(each);
      const AddOutcome outcome = archive->add(each);
      REQUIRE(all_ids(*archive) == reference.ids());
      REQUIRE(outcome.kept == (archive->find(id) != nullptr));
      best = std::max(best, objective);
      REQUIRE(archive->stats().best == best);
      // Half-way, the archive is replaced by its own restored copy.
      if (id == 75) CHECK(builtin_kinds().restore(archive->state()).has_value());
    }
  }
}

TEST_CASE("slots, outcomes and texts") {
  const auto archive = make(spec_of(2, 1));
  CHECK(archive->cell_of(std::vector<double>{0.5, 2, 0}).value() == 0);
  CHECK(archive->add(entry(1, 1, {0.0, 1, 0})).cell == 0);
  CHECK(archive->add(entry(2, 2, {1.0, 1, 0})).cell == 1);
  CHECK(archive->cell_of(std::vector<double>{0.9, 1, 0}).value() == 1);
  CHECK(std::isnan(archive->stats().coverage));
  CHECK(archive->cell_text(1) == std::vector<std::string>{"1", "1", "a"});
  // Beside the fittest and less fit: nothing novel about it.
  const AddOutcome dull = archive->add(entry(3, 1.5, {0.99, 1, 0}));
  CHECK(dull.status == AddStatus::rejected);
  CHECK_FALSE(dull.kept);
  CHECK(dull.cell == 1);
  // Less fit than both, but far away: the less novel of the others goes, fitter as it is.
  const AddOutcome novel = archive->add(entry(4, 0.5, {1.0, 16, 1}));
  CHECK(novel.status == AddStatus::improved);
  CHECK(novel.displaced.value() == 1);
  CHECK(novel.gain == -0.5);
  CHECK(novel.cell == 0);
  CHECK(archive->add(entry(4, 9, {0, 1, 0})).kept);  // stored already: nothing changes
  CHECK(archive->find(4)->entry.objective == 0.5);
  CHECK(archive->members(7).empty());
  CHECK(archive->champion(7) == nullptr);
}
