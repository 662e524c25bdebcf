#include "kernel/outcome.h"

#include <doctest/doctest.h>

#include <set>

using namespace kernatlas;

TEST_CASE("every outcome kind has a name of its own that parses back") {
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < kOutcomeKinds; ++i) {
    const auto kind = static_cast<OutcomeKind>(i);
    CHECK(parse_outcome_kind(name(kind)) == kind);
    seen.insert(name(kind));
  }
  CHECK(seen.size() == kOutcomeKinds);
  CHECK(name(OutcomeKind::measured) == "measured");
  CHECK(name(OutcomeKind::out_of_memory) == "out_of_memory");
  CHECK(name(OutcomeKind::nondeterministic) == "nondeterministic");
  CHECK(name(OutcomeKind::device_lost) == "device_lost");
  CHECK_FALSE(parse_outcome_kind(""));
  CHECK_FALSE(parse_outcome_kind("Measured"));
  CHECK_FALSE(parse_outcome_kind("measured "));
}

TEST_CASE("every stage has a name of its own that parses back") {
  std::set<std::string_view> seen;
  for (int i = 0; i <= static_cast<int>(Stage::done); ++i) {
    const auto stage = static_cast<Stage>(i);
    CHECK(parse_stage(name(stage)) == stage);
    seen.insert(name(stage));
  }
  CHECK(seen.size() == 8);
  CHECK(name(Stage::plan) == "plan");
  CHECK(name(Stage::verify) == "verify");
  CHECK_FALSE(parse_stage("finished"));
}

TEST_CASE("an outcome was cut when any of its workloads was") {
  Outcome outcome;
  CHECK_FALSE(outcome.was_cut());
  outcome.times.resize(3);
  CHECK_FALSE(outcome.was_cut());
  outcome.times[2].cut = true;
  CHECK(outcome.was_cut());
}

TEST_CASE("speedup is the power of two of fitness") {
  Outcome outcome;
  CHECK(std::isnan(outcome.speedup()));
  outcome.fitness = 3;
  CHECK(outcome.speedup() == 8);
}
