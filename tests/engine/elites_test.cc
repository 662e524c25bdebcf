#include "engine/search/elites.h"

#include <doctest/doctest.h>

#include "engine/search/settler.h"
#include "tests/support/fake_bench.h"

using namespace kernatlas;
using archives::AddStatus;
using archives::Axis;

namespace {

struct Fixture {
  std::shared_ptr<const Task> task = testing::make_tunable_task({"[tune]\nA = [0, 1, 2, 3]\n"});
  Elites elites{{Axis::linear("m", "", 0, 4, 4)}, 2};

  archives::AddOutcome add(std::uint64_t ticket, double fitness, double measure,
                           std::optional<archives::Evidence> evidence = std::nullopt) {
    const Candidate candidate{task->seeds[0], {static_cast<std::int64_t>(ticket % 4)}, {}};
    return elites.add(make_entry(ticket, testing::measured(fitness), {measure}), candidate,
                      std::make_shared<Compiled>(), evidence);
  }
};

}  // namespace

TEST_CASE("candidates are held exactly as long as the archive holds their entries") {
  Fixture fixture;
  CHECK(fixture.add(1, 1.0, 0.5).status == AddStatus::opened);
  CHECK(fixture.add(2, 0.5, 0.5).kept);  // runner-up
  CHECK(fixture.add(3, 0.7, 0.5).kept);  // pushes 2 out
  CHECK_FALSE(fixture.add(4, 0.1, 0.5).kept);
  CHECK(fixture.elites.candidate(1) != nullptr);
  CHECK(fixture.elites.candidate(2) == nullptr);
  CHECK(fixture.elites.candidate(3)->assignment == Assignment{3});
  CHECK(fixture.elites.candidate(4) == nullptr);
}

TEST_CASE("a better challenger needs evidence; with it, it replaces") {
  Fixture fixture;
  fixture.add(1, 1.0, 0.5);
  const auto contested = fixture.add(2, 2.0, 0.5);
  CHECK(contested.status == AddStatus::contested);
  CHECK(contested.incumbent == 1u);
  CHECK(fixture.elites.best()->id == 1);
  CHECK(fixture.add(2, 2.0, 0.5, archives::Evidence{1, 0.9, true}).status == AddStatus::improved);
  CHECK(fixture.elites.best()->id == 2);
  CHECK(fixture.elites.compiled(2) != nullptr);
}

TEST_CASE("the best follows the archive, also when evidence overrules a lucky time") {
  Fixture fixture;
  fixture.add(1, 3.0, 0.5);
  fixture.add(2, 2.5, 1.5);
  CHECK(fixture.elites.best()->id == 1);
  // Measured equal, and the comparison says faster.
  fixture.add(3, 3.0, 0.5, archives::Evidence{1, 0.1, true});
  CHECK(fixture.elites.best()->id == 3);
}

TEST_CASE("compiled code is kept for the latest champions only") {
  Fixture fixture;
  Elites elites({Axis::linear("m", "", 0, 200, 200)}, 1);
  const Candidate candidate{fixture.task->seeds[0], {0}, {}};
  for (std::uint64_t i = 0; i < 100; ++i) {
    elites.add(make_entry(i, testing::measured(0), {static_cast<double>(i) + 0.5}), candidate,
               std::make_shared<Compiled>(), std::nullopt);
  }
  CHECK(elites.compiled(99) != nullptr);
  CHECK(elites.compiled(99 - Elites::kCompiledLimit + 1) != nullptr);
  CHECK(elites.compiled(99 - Elites::kCompiledLimit) == nullptr);
  CHECK(elites.candidate(0) != nullptr);
}

TEST_CASE("an entry's size is the code's, where the backend reports it") {
  Outcome outcome = testing::measured(1.5, 0.25);
  CHECK(make_entry(4, outcome, {}).size == 0);
  outcome.features.set("code_bytes", 640.0);
  const archives::Entry entry = make_entry(4, outcome, {1, 2});
  CHECK(entry.size == 640);
  CHECK(entry.low == 1.25);
  CHECK(entry.high == 1.75);
  CHECK(entry.measures == std::vector<double>{1, 2});
  outcome.features.set("code_bytes", std::string("many"));
  CHECK(make_entry(4, outcome, {}).size == 0);
}

TEST_CASE("evidence is what the stored comparison says") {
  Verdict verdict;
  CHECK_FALSE(evidence_of(verdict));
  verdict.comparison = Comparison{};
  verdict.comparison->log2_gain = 0.4;
  verdict.compared_with = 12;
  CHECK_FALSE(evidence_of(verdict)->conclusive);
  verdict.comparison->finding = Comparison::Finding::faster;
  CHECK(evidence_of(verdict)->conclusive);
  CHECK(evidence_of(verdict)->incumbent == 12);
  CHECK(evidence_of(verdict)->gain == 0.4);
}
