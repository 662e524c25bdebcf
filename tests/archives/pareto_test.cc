#include "archives/pareto.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "archives/random.h"
#include "tests/archives/kinds.h"

using namespace kernatlas::archives;
using testing::entry;
using testing::ids;
using testing::make;

namespace {

ArchiveSpec spec_of(double costs, double capacity, std::size_t bins = 1) {
  return {.kind = "pareto",
          .axes = {Axis::linear("x", "", 0, 1, bins)},
          .options = {{"costs", costs}, {"capacity", capacity}}};
}

bool dominated(const Entry& b, const Entry& a) {
  bool no_worse = a.objective >= b.objective;
  bool equal = a.objective == b.objective;
  for (std::size_t i = 0; i < a.costs.size(); ++i) {
    no_worse = no_worse && a.costs[i] <= b.costs[i];
    equal = equal && a.costs[i] == b.costs[i];
  }
  return no_worse && (!equal || a.id < b.id);
}

}  // namespace

TEST_CASE("a cell keeps what nothing else in it dominates") {
  const auto archive = make(spec_of(1, 8));
  CHECK(archive->add(entry(1, 5, {0.5}, {100})).status == AddStatus::opened);
  const AddOutcome trade = archive->add(entry(2, 4, {0.5}, {50}));
  CHECK(trade.status == AddStatus::rejected);
  CHECK(trade.kept);
  CHECK_FALSE(archive->add(entry(3, 4, {0.5}, {60})).kept);
  const AddOutcome better_trade = archive->add(entry(4, 4.5, {0.5}, {50}));
  CHECK(better_trade.dropped == std::vector<std::uint64_t>{2});
  const AddOutcome champion = archive->add(entry(5, 6, {0.5}, {200}));
  CHECK(champion.status == AddStatus::improved);
  CHECK(champion.displaced.value() == 1);
  CHECK(champion.dropped.empty());
  CHECK(ids(*archive, 0) == std::vector<std::uint64_t>{5, 1, 4});
  const AddOutcome all = archive->add(entry(6, 7, {0.5}, {50}));
  CHECK(all.status == AddStatus::improved);
  CHECK(std::set(all.dropped.begin(), all.dropped.end()) == std::set<std::uint64_t>{1, 4, 5});
  CHECK(ids(*archive, 0) == std::vector<std::uint64_t>{6});
}

TEST_CASE("with room enough, the front of all entries in any order") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 rng(seed);
    std::vector<Entry> entries;
    for (std::uint64_t id = 0; id < 200; ++id) {
      // Few values: ties in everything are common.
      entries.push_back(
          entry(id, static_cast<double>(below(rng, 8)), {fraction(rng)},
                {static_cast<double>(below(rng, 8)), static_cast<double>(below(rng, 8))}));
    }
    std::map<std::size_t, std::set<std::uint64_t>> fronts;
    for (int round = 0; round < 3; ++round) {
      const auto archive = make(spec_of(2, 200, 3));
      for (const Entry& each : entries) archive->add(each);
      for (const std::size_t cell : archive->occupied()) {
        const auto members = ids(*archive, cell);
        const std::set<std::uint64_t> found(members.begin(), members.end());
        if (round == 0) fronts[cell] = found;
        REQUIRE(found == fronts[cell]);
      }
      for (const Entry& each : entries) {
        const std::size_t cell = archive->cell_of(each.measures).value();
        const bool beaten = std::any_of(entries.begin(), entries.end(), [&](const Entry& other) {
          return other.id != each.id && archive->cell_of(other.measures) == cell &&
                 dominated(each, other);
        });
        const bool champion = archive->champion(cell)->entry.id == each.id;
        REQUIRE((archive->find(each.id) != nullptr) == (!beaten || champion));
      }
      std::shuffle(entries.begin(), entries.end(), rng);
    }
  }
}

TEST_CASE("a full front lets the most crowded go, never the champion nor the ends") {
  const auto archive = make(spec_of(1, 4));
  archive->add(entry(1, 10, {0.5}, {100}));
  archive->add(entry(2, 0, {0.5}, {0}));
  archive->add(entry(3, 5, {0.5}, {50}));
  archive->add(entry(4, 9, {0.5}, {95}));
  const AddOutcome outcome = archive->add(entry(5, 8.9, {0.5}, {90}));
  CHECK(outcome.kept);
  CHECK(outcome.dropped == std::vector<std::uint64_t>{4});
  CHECK(ids(*archive, 0) == std::vector<std::uint64_t>{1, 5, 3, 2});
  const auto narrow = make(spec_of(1, 1));
  narrow->add(entry(1, 10, {0.5}, {100}));
  CHECK_FALSE(narrow->add(entry(2, 9, {0.5}, {1})).kept);
  CHECK(narrow->add(entry(3, 11, {0.5}, {500})).dropped == std::vector<std::uint64_t>{1});
  CHECK(ids(*narrow, 0) == std::vector<std::uint64_t>{3});
}

TEST_CASE("costs must be there and finite; evidence decides about the champion") {
  const auto archive = make({.kind = "pareto",
                             .axes = {Axis::linear("x", "", 0, 1, 1)},
                             .acceptance = "interleaved",
                             .options = {{"costs", 1}}});
  CHECK(archive->add(entry(1, 1, {0.5})).reason == "0 costs, 1 are needed");
  CHECK(archive->add(entry(1, 1, {0.5}, {NAN})).reason == "a cost is nan");
  archive->add(entry(1, 1, {0.5}, {5}));
  CHECK(archive->add(entry(2, 2, {0.5}, {5})).status == AddStatus::contested);
  CHECK(archive->add(entry(2, 2, {0.5}, {5}), Evidence{1, 0.5, true}).status ==
        AddStatus::improved);
  CHECK(ids(*archive, 0) == std::vector<std::uint64_t>{2});
  // A lower objective, proven better all the same; the former champion stays on the front.
  CHECK(archive->add(entry(3, 1.9, {0.5}, {9}), Evidence{2, 0.5, true}).gain ==
        doctest::Approx(-0.1));
  CHECK(ids(*archive, 0) == std::vector<std::uint64_t>{3, 2});
  CHECK(builtin_kinds().restore(archive->state()).has_value());
}
