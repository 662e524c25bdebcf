#include "archives/operations/merge.h"

#include <doctest/doctest.h>

#include <set>

#include "archives/operations/compact.h"
#include "tests/archives/atlas_sample.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;

namespace {

const ArchiveKinds& kinds() {
  static const ArchiveKinds kKinds = builtin_kinds();
  return kKinds;
}

Atlas merged(const std::vector<Atlas>& inputs, const MergeOptions& options = {}) {
  auto result = merge(inputs, kinds(), options);
  if (!result) throw std::runtime_error(result.error().text());
  return std::move(result->atlas);
}

// What a grid merges to, found the plain way: per cell the best of all under the strict rule.
std::vector<std::string> best_keys(const std::vector<Atlas>& inputs) {
  const auto archive = kinds().make(inputs.front().state.spec).value();
  std::map<std::size_t, std::pair<double, std::string>> best;
  for (const Atlas& atlas : inputs) {
    for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
      const Elite& elite = atlas.state.elites[i];
      auto& champion = best.try_emplace(elite.cell, -1e300, "").first->second;
      champion = std::max(champion, {elite.entry.objective, atlas.records[i].key});
    }
  }
  std::vector<std::string> keys;
  for (const auto& [cell, champion] : best) keys.push_back(champion.second);
  return keys;
}

Atlas strict_atlas(std::uint64_t seed, std::size_t adds = 150) {
  ArchiveSpec spec = sample_spec();
  spec.acceptance = "strict";
  spec.min_gain = 0;
  std::mt19937_64 rng(seed);
  const auto archive = kinds().make(spec).value();
  for (std::size_t i = 0; i < adds; ++i) {
    Entry entry = sample_entry(rng, i);
    entry.objective += static_cast<double>(rng() % 100000) * 1e-7;  // no ties
    entry.low = entry.high = entry.objective;
    archive->add(entry);
  }
  Atlas atlas = atlas_of(*archive);
  for (std::size_t i = 0; i < atlas.records.size(); ++i) {
    atlas.records[i].key += "-of-" + std::to_string(seed);
  }
  atlas.provenance = {{{"run", std::to_string(seed)}}};
  return atlas;
}

}  // namespace

TEST_CASE("each cell's best of all archives is its champion") {
  const std::vector<Atlas> inputs{strict_atlas(1), strict_atlas(2), strict_atlas(3)};
  const Atlas result = merged(inputs);
  std::vector<std::string> champions;
  for (std::size_t i = 0; i < result.state.elites.size(); ++i) {
    if (result.state.elites[i].rank == 0) champions.push_back(result.records[i].key);
  }
  CHECK(champions == best_keys(inputs));
  CHECK(result.provenance.size() == 3);
  REQUIRE(kinds().restore(result.state).has_value());
  for (std::size_t i = 0; i < result.records.size(); ++i) {
    CHECK_FALSE(unpack(result.records[i].payload, result.blobs).empty());
  }
}

TEST_CASE("merging is commutative and idempotent, also with evidence, overlaps and foreigners") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Atlas a = sample_atlas(seed);
    Atlas b = sample_atlas(seed + 100);  // shares keys with a, measured otherwise
    Atlas c = strict_atlas(seed);
    c.contract = "device 2, engine 1";
    const std::string abc = bytes_of(merged({a, b, c}));
    CHECK(bytes_of(merged({c, b, a})) == abc);
    CHECK(bytes_of(merged({b, c, a})) == abc);
    CHECK(bytes_of(merged({a, b, a, c, b, c, c})) == abc);
    const Atlas all = *atlas_from(abc);
    CHECK(bytes_of(merged({all})) == abc);
    CHECK(bytes_of(merged({all, all})) == abc);
    CHECK(kinds().restore(all.state).has_value());
  }
}

TEST_CASE("under the strict rule merging again with a part, or in steps, changes nothing") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Atlas a = strict_atlas(seed);
    const Atlas b = strict_atlas(seed + 50);
    const Atlas c = strict_atlas(seed + 90);
    const std::string abc = bytes_of(merged({a, b, c}));
    CHECK(bytes_of(merged({merged({a, b}), c})) == abc);
    CHECK(bytes_of(merged({a, merged({b, c})})) == abc);
    CHECK(bytes_of(merged({merged({a, b, c}), a})) == abc);
  }
}

TEST_CASE("every kind of archive merges the same way in any order") {
  for (const std::string& kind : kinds().names()) {
    CAPTURE(kind);
    std::vector<Atlas> inputs;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ArchiveSpec spec = sample_spec();
      spec.kind = kind;
      spec.acceptance = "strict";
      spec.min_gain = 0;
      spec.options.clear();
      if (kind == "cvt") spec.points = {32, 1e11, 0, 64, 5e11, 1, 128, 9e11, 2, 20, 2e11, 1};
      const auto archive = kinds().make(spec);
      REQUIRE_MESSAGE(archive.has_value(), archive.error());
      std::mt19937_64 rng(seed);
      for (std::uint64_t id = 0; id < 60; ++id) {
        Entry entry = sample_entry(rng, id);
        entry.costs = {static_cast<double>(rng() % 100), static_cast<double>(rng() % 100)};
        (*archive)->add(entry);
      }
      inputs.push_back(atlas_of(**archive));
      for (AtlasRecord& record : inputs.back().records) record.key += std::to_string(seed);
    }
    const std::string forward = bytes_of(merged({inputs[0], inputs[1], inputs[2]}));
    CHECK(bytes_of(merged({inputs[2], inputs[0], inputs[1]})) == forward);
    CHECK(bytes_of(merged({inputs[0], inputs[0], inputs[1], inputs[2]})) == forward);
    CHECK(kinds().restore(atlas_from(forward)->state).has_value());
  }
}

TEST_CASE("elites of another contract become proposals without their numbers") {
  const Atlas here = strict_atlas(1, 200);
  Atlas there = strict_atlas(2, 20);
  there.contract = "device 2";
  const auto result = merge(std::vector<Atlas>{there, here}, kinds());
  REQUIRE(result.has_value());
  const Atlas& atlas = result->atlas;
  CHECK(atlas.contract == here.contract);
  CHECK(result->foreign == there.state.elites.size());
  CHECK(atlas.state.elites.size() == here.state.elites.size());
  REQUIRE(atlas.proposals.size() == there.records.size());
  std::set<std::string> keys;
  for (const AtlasRecord& record : there.records) keys.insert(record.key);
  for (const AtlasProposal& proposal : atlas.proposals) {
    CHECK(proposal.origin == "device 2");
    CHECK(keys.contains(proposal.key));
    CHECK_FALSE(unpack(proposal.payload, atlas.blobs).empty());
  }
  const Atlas other_way = merged({there, here}, {.contract = "device 2"});
  CHECK(other_way.state.elites.size() == there.state.elites.size());
  CHECK(other_way.proposals.size() == here.records.size());
  // What is an elite here needs no proposal.
  Atlas same = here;
  same.contract = "device 2";
  CHECK(merged({here, same}, {.contract = here.contract}).proposals.empty());
}

TEST_CASE("of two measurements of one thing the one with more samples stands") {
  Atlas a = strict_atlas(1, 1);
  Atlas b = a;
  a.state.elites[0].entry.samples = 10;
  b.state.elites[0].entry.samples = 3;
  b.state.elites[0].entry.objective = b.state.elites[0].entry.high = 99;
  const Atlas result = merged({a, b});
  REQUIRE(result.state.elites.size() == 1);
  CHECK(result.state.elites[0].entry.objective == a.state.elites[0].entry.objective);
}

TEST_CASE("a champion that a comparison made stays champion, with its own objective") {
  ArchiveSpec spec = sample_spec();
  spec.min_gain = 0;
  const auto archive = kinds().make(spec).value();
  std::mt19937_64 rng(1);
  Entry lucky = sample_entry(rng, 1);
  lucky.objective = 3;
  Entry better_one = lucky;
  better_one.id = 2;
  better_one.objective = 3.0;
  archive->add(lucky);
  CHECK(archive->add(better_one, Evidence{1, 0.5, true}).status == AddStatus::improved);
  Atlas atlas = atlas_of(*archive);
  Entry& champion = atlas.state.elites[0].entry;
  champion.objective = champion.low = champion.high = 2.5;  // re-measured by somebody
  const Atlas result = merged({atlas});
  REQUIRE(result.state.elites.size() == 2);
  CHECK(result.records[0].key == sample_key(2));
  CHECK(result.state.elites[0].entry.objective == 2.5);
  CHECK(result.state.elites[1].entry.objective == 3);
  CHECK(result.state.counters.best == 2.5);
  REQUIRE(kinds().restore(result.state).has_value());
  CHECK(bytes_of(merged({result})) == bytes_of(result));
}

TEST_CASE("what cannot be merged says why") {
  CHECK(merge({}, kinds()).error().message == "there is nothing to merge");
  const Atlas a = strict_atlas(1);
  Atlas b = strict_atlas(2);
  b.subject = "matmul";
  CHECK(merge(std::vector<Atlas>{a, b}, kinds()).error().message ==
        "archives of \"softmax\" and of \"matmul\" do not mix");
  b.subject = a.subject;
  b.state.spec.axes.pop_back();
  CHECK(merge(std::vector<Atlas>{a, b}, kinds()).error().message ==
        "the archives differ: their axes");
  b = strict_atlas(2);
  b.state.spec.options["depth"] = 7;
  CHECK(merge(std::vector<Atlas>{a, b}, kinds()).error().message ==
        "the archives differ: their option depth");
  CHECK(merge(std::vector<Atlas>{a}, kinds(), {.contract = "other"}).error().message ==
        "no archive was measured under \"other\"");
}
