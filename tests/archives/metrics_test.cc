#include "archives/metrics.h"

#include <cmath>
#include <limits>

#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::entry;
using testing::make;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::unique_ptr<Archive> row(std::size_t bins, double depth = 2) {
  return make({.kind = "grid",
               .axes = {Axis::linear("x", "", 0, static_cast<double>(bins), bins)},
               .floor = 0,
               .options = {{"depth", depth}}});
}

}  // namespace

TEST_CASE("coverage counts what can be reached") {
  const auto archive = row(100);
  for (const double x : {0.5, 3.5, 7.5}) archive->add(entry(static_cast<std::uint64_t>(x), 1, {x}));
  CHECK(archive->stats().coverage == 0.03);
  const std::vector<std::size_t> reachable{0, 1, 3, 3, 3, 7};
  CHECK(coverage(*archive, reachable) == 0.75);
  CHECK(std::isnan(coverage(*archive, {})));
}

TEST_CASE("entropy: 0 in one bin, log2 of the bins when even") {
  const auto archive =
      make({.kind = "grid",
            .axes = {Axis::linear("x", "", 0, 4, 4), Axis::categorical("kind", {"a", "b", "c"})}});
  CHECK(axis_entropies(*archive) == std::vector<double>{0, 0});
  for (std::uint64_t i = 0; i < 4; ++i) {
    archive->add(entry(i, 1, {static_cast<double>(i) + 0.5, 1}));
  }
  CHECK(axis_entropies(*archive) == std::vector<double>{2, 0});
  archive->add(entry(9, 1, {0.5, 0}));
  const double share = 2.0 / 5;
  CHECK(axis_entropies(*archive)[0] ==
        doctest::Approx(-share * std::log2(share) + 3 * 0.2 * std::log2(5)));
  CHECK(axis_entropies(*archive)[1] ==
        doctest::Approx(-0.2 * std::log2(0.2) - 0.8 * std::log2(0.8)));
}

TEST_CASE("corrected score: who holds the cell on a second measurement") {
  const auto archive = row(4);
  archive->add(entry(1, 5, {0.5}));
  archive->add(entry(2, 4, {0.5}));
  archive->add(entry(3, 3, {1.5}));
  archive->add(entry(4, 2, {2.5}));
  const auto kinds = builtin_kinds();
  // 1 was lucky and 2 takes its cell; 3 holds; 4 fails.
  const std::vector<Remeasured> again{{1, 3.5}, {2, 4}, {3, 3}, {4, kNan}};
  const CorrectedScore score = corrected_score(kinds, *archive, again).value();
  CHECK(score.raw_qd_score == 10);
  CHECK(score.corrected_qd_score == 7);
  CHECK(score.corrected_best == 4);
  CHECK(score.champions == 3);
  CHECK(score.illusory == 2);
  CHECK(score.illusory_share == doctest::Approx(2.0 / 3));
  CHECK(score.optimism == doctest::Approx(0.75));
  // Moved into a cell that somebody better holds; and into an empty one.
  const std::vector<Remeasured> moved{{1, 5, {1.5}}, {3, 3}, {4, 2, {3.5}}};
  const CorrectedScore after = corrected_score(kinds, *archive, moved).value();
  CHECK(after.corrected_qd_score == 7);
  CHECK(after.illusory == 3);
  CHECK(after.optimism == 0);
}

TEST_CASE("corrected score of nothing, of strangers, of one twice") {
  const auto archive = row(4);
  archive->add(entry(1, 5, {0.5}));
  const auto kinds = builtin_kinds();
  const CorrectedScore nothing = corrected_score(kinds, *archive, {}).value();
  CHECK(nothing.champions == 0);
  CHECK(nothing.illusory_share == 0);
  CHECK(std::isnan(nothing.optimism));
  CHECK(std::isnan(nothing.corrected_best));
  const std::vector<Remeasured> stranger{{7, 1}};
  CHECK(corrected_score(kinds, *archive, stranger).error() == "entry 7 is not stored");
  const std::vector<Remeasured> twice{{1, 1}, {1, 2}};
  CHECK(corrected_score(kinds, *archive, twice).error() == "entry 1 was measured again twice");
  CHECK_FALSE(corrected_score(ArchiveKinds(), *archive, twice).has_value());
}

TEST_CASE("measured again to the same numbers, nothing is illusory") {
  for (const char* kind : {"grid", "dominated-novelty", "soft"}) {
    CAPTURE(kind);
    const auto archive =
        make({.kind = kind, .axes = {Axis::linear("x", "", 0, 1, 8)}, .floor = -6});
    for (std::uint64_t id = 0; id < 200; ++id) {
      archive->add(
          entry(id, static_cast<double>(id * 37 % 100) / 50, {static_cast<double>(id) / 200}));
    }
    std::vector<Remeasured> again;
    for (const Elite& elite : archive->state().elites) {
      again.push_back({elite.entry.id, elite.entry.objective});
    }
    const CorrectedScore score = corrected_score(builtin_kinds(), *archive, again).value();
    CHECK(score.illusory == 0);
    CHECK(score.corrected_qd_score == doctest::Approx(score.raw_qd_score));
    CHECK(score.optimism == 0);
  }
}
