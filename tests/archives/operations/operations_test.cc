// Rebin, diff and compact.
#include <doctest/doctest.h>

#include <cmath>

#include "archives/operations/compact.h"
#include "archives/operations/diff.h"
#include "archives/operations/rebin.h"
#include "tests/archives/atlas_sample.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;

namespace {

const ArchiveKinds& kinds() {
  static const ArchiveKinds kKinds = builtin_kinds();
  return kKinds;
}

}  // namespace

TEST_CASE("rebin under the same spec keeps every elite, its rank, id and payload") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    CAPTURE(seed);
    const Atlas atlas = sample_atlas(seed);
    const auto same = by_name(atlas.state.spec.axes, atlas.state.spec.axes);
    REQUIRE(same.has_value());
    const auto result = rebin(atlas, atlas.state.spec, *same, kinds());
    REQUIRE(result.has_value());
    std::map<std::uint64_t, Elite> before;
    for (const Elite& elite : atlas.state.elites) before[elite.entry.id] = elite;
    REQUIRE(result->atlas.state.elites.size() == before.size());
    for (std::size_t i = 0; i < result->atlas.state.elites.size(); ++i) {
      const Elite& elite = result->atlas.state.elites[i];
      CHECK(before.at(elite.entry.id) == elite);
      CHECK(result->atlas.records[i].key == sample_key(elite.entry.id));
      CHECK(unpack(result->atlas.records[i].payload, result->atlas.blobs) ==
            sample_payload(elite.entry.id));
    }
    CHECK(kinds().restore(result->atlas.state).has_value());
  }
}

TEST_CASE("rebin to fewer, coarser and renamed labels") {
  const Atlas atlas = sample_atlas(3);
  ArchiveSpec spec = atlas.state.spec;
  spec.axes = {Axis::categorical("memory", {"tile", "direct"}),
               Axis::linear("bytes", "B", 0, 1e12, 2)};
  const auto measures = by_name(atlas.state.spec.axes, spec.axes);
  REQUIRE(measures.has_value());
  const auto result = rebin(atlas, spec, *measures, kinds());
  REQUIRE(result.has_value());
  std::size_t asynchronous = 0;
  double best = -1e300;
  for (const Elite& elite : atlas.state.elites) {
    if (elite.entry.measures[2] == 2) {
      ++asynchronous;
    } else {
      best = std::max(best, elite.entry.objective);
    }
  }
  CHECK(result->refused == asynchronous);
  CHECK(result->atlas.state.counters.occupied == 4);
  CHECK(result->atlas.state.elites.size() == 8);  // depth 2
  CHECK(result->atlas.state.counters.best <= best);
  std::map<std::uint64_t, double> memory;
  for (const Elite& elite : atlas.state.elites) memory[elite.entry.id] = elite.entry.measures[2];
  for (const Elite& elite : result->atlas.state.elites) {
    CHECK(elite.entry.measures[0] == 1 - memory.at(elite.entry.id));
    CHECK(elite.cell / 2 == static_cast<std::size_t>(elite.entry.measures[0]));
  }
  CHECK_FALSE(by_name(spec.axes, atlas.state.spec.axes).has_value());
}

TEST_CASE("rebin leaves out elites whose measures are not known") {
  const Atlas atlas = sample_atlas(4);
  const auto none = [](const Elite& elite,
                       const AtlasRecord&) -> std::optional<std::vector<double>> {
    if (elite.entry.id % 2 == 0) return std::nullopt;
    return std::vector<double>{1};
  };
  ArchiveSpec spec = atlas.state.spec;
  spec.axes = {Axis::linear("one", "", 0, 2, 2)};
  const auto result = rebin(atlas, spec, none, kinds());
  REQUIRE(result.has_value());
  CHECK(result->unknown > 0);
  CHECK(result->atlas.state.elites.size() == 2);
  spec.options["depth"] = -1;
  CHECK_FALSE(rebin(atlas, spec, none, kinds()).has_value());
}

TEST_CASE("diff of an archive with itself is empty") {
  const Atlas atlas = sample_atlas(5);
  const auto difference = diff(atlas, atlas, kinds());
  REQUIRE(difference.has_value());
  CHECK(difference->same_subject);
  CHECK(difference->same_contract);
  CHECK(difference->same_cells);
  CHECK(difference->changes.empty());
  CHECK(difference->same_champions == atlas.state.counters.occupied);
  CHECK(difference->shared_keys == atlas.records.size());
  CHECK(difference->only_before + difference->only_after == 0);
}

TEST_CASE("diff counts and orders what changed; backwards it is the mirror image") {
  const Atlas a = sample_atlas(6, 40);
  const Atlas b = sample_atlas(7, 60);
  const auto forward = diff(a, b, kinds());
  const auto backward = diff(b, a, kinds());
  REQUIRE(forward.has_value());
  REQUIRE(backward.has_value());
  CHECK(forward->opened == backward->lost);
  CHECK(forward->lost == backward->opened);
  CHECK(forward->better == backward->worse);
  CHECK(forward->opened > 0);
  CHECK(forward->better > 0);
  CHECK(forward->shared_keys == backward->shared_keys);
  CHECK(forward->only_after == backward->only_before);
  CHECK(a.state.counters.occupied + forward->opened - forward->lost == b.state.counters.occupied);
  double last = std::numeric_limits<double>::infinity();
  for (const CellChange& change : forward->changes) {
    CHECK(change.text.size() == 3);
    if (change.opened() || change.lost()) continue;
    CHECK(std::abs(change.gain()) <= last);
    last = std::abs(change.gain());
  }
}

TEST_CASE("diff over different axes compares keys only") {
  const Atlas a = sample_atlas(8);
  Atlas b = a;
  b.contract = "other";
  b.state.spec.axes[1] = Axis::linear("bytes", "B", 0, 1e12, 6);
  const auto difference = diff(a, b, kinds());
  REQUIRE(difference.has_value());
  CHECK_FALSE(difference->same_cells);
  CHECK_FALSE(difference->same_contract);
  CHECK(difference->changes.empty());
  CHECK(difference->shared_keys == a.records.size());
}

TEST_CASE("compact keeps champions and their payloads, and what it keeps is an archive") {
  Atlas atlas = sample_atlas(9);
  atlas.proposals.push_back(atlas.proposals[0]);                              // twice
  atlas.proposals.push_back({atlas.records[0].key, "elsewhere", Payload{}});  // an elite by now
  const Compacted result = compact(atlas, {.depth = 1, .drop = {"source"}});
  CHECK(result.atlas.state.elites.size() == atlas.state.counters.occupied);
  CHECK(result.dropped_elites + result.atlas.state.elites.size() == atlas.state.elites.size());
  CHECK(result.dropped_proposals == 2);
  REQUIRE(kinds().restore(result.atlas.state).has_value());
  for (std::size_t i = 0; i < result.atlas.records.size(); ++i) {
    PayloadMap expected = sample_payload(result.atlas.state.elites[i].entry.id);
    expected.erase("source");
    CHECK(unpack(result.atlas.records[i].payload, result.atlas.blobs) == expected);
  }
  CHECK(bytes_of(result.atlas).size() < bytes_of(atlas).size());
  CHECK(bytes_of(compact(result.atlas, {}).atlas) == bytes_of(result.atlas));
  CHECK(compact(atlas, {.depth = 9, .proposals = false}).atlas.state.elites == atlas.state.elites);
  CHECK(compact(atlas, {.depth = 9, .proposals = false}).atlas.proposals.empty());
}
