#include "engine/search/settler.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "engine/search/proposer.h"
#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

struct Fixture {
  std::shared_ptr<const Task> task =
      make_tunable_task({"[tune]\nA = [0, 1, 2, 3, 4, 5, 6, 7]\n"}, {tune_axis("A", {0, 4, 8})});
  Elites elites{make_axes(task->axes).value(), 3};
  OperatorMix mix{{{"seed", 1}, {"random_assignment", 1}}, true};
  OperatorRegistry registry = default_operators();
  std::vector<Operator*> operators{registry.find("seed"), registry.find("random_assignment")};
  Settler settler{elites, mix, operators};
  std::vector<Tunable> no_options;

  Job job(std::uint64_t ticket, std::int64_t a, Outcome outcome) {
    Job job;
    job.ticket = ticket;
    job.candidate = {task->seeds[0], {a}, {}};
    job.id = job.candidate.id();
    job.arm = 1;
    job.compiled = std::make_shared<Compiled>();
    job.outcome = std::move(outcome);
    return job;
  }
  // Judges without evidence; the verdict must stand at once.
  SettledRow settle(Job job) {
    const auto contest = settler.judge(job);
    REQUIRE(contest);
    REQUIRE_FALSE(contest->has_value());
    return settler.finish(job, no_options);
  }
};

HotRow hot_row(std::uint64_t ticket, OutcomeKind kind, Verdict::Kind verdict, double cost_s) {
  HotRow row;
  row.ticket = ticket;
  row.kind = kind;
  row.verdict = verdict;
  row.kept = verdict == Verdict::Kind::opened;
  row.cost_s = cost_s;
  return row;
}

}  // namespace

TEST_CASE("a row says everything about its settlement") {
  Fixture fixture;
  Job job = fixture.job(3, 5, measured(1.5, 0.1));
  job.parents = {1, 2};
  job.duplicates = 4;
  const SettledRow row = fixture.settle(std::move(job));
  CHECK(row.ticket == 3);
  CHECK(row.assignment == "A=5");
  CHECK(row.options.empty());
  CHECK(row.op == "random_assignment");
  CHECK(row.parents == std::vector<std::uint64_t>{1, 2});
  CHECK(row.duplicates_before == 4);
  CHECK(row.verdict.kind == Verdict::Kind::opened);
  CHECK(row.verdict.cell == 1);
  CHECK(row.verdict.kept);
  CHECK(row.outcome.fitness == 1.5);
  CHECK(row.settled_unix_ms > 0);
  CHECK(fixture.settler.counts().duplicates == 4);
  CHECK(fixture.mix.arms()[1].settled == 1);
}

TEST_CASE("failures get no verdict and teach") {
  Fixture fixture;
  const SettledRow row = fixture.settle(fixture.job(0, 1, failed(OutcomeKind::timed_out)));
  CHECK(row.verdict.kind == Verdict::Kind::none);
  CHECK_FALSE(row.verdict.kept);
  CHECK(fixture.elites.archive().occupied().empty());
  CHECK(fixture.settler.counts().since_gain == 1);
  CHECK(fixture.mix.arms()[1].settled == 1);
}

TEST_CASE("a time that racing cut short is rejected and not kept") {
  Fixture fixture;
  fixture.settle(fixture.job(0, 1, measured(1)));
  Outcome cut = measured(0.5);
  cut.times[0].cut = true;
  const SettledRow row = fixture.settle(fixture.job(1, 2, cut));
  CHECK(row.verdict.kind == Verdict::Kind::rejected);
  CHECK(row.verdict.cell == 0);
  CHECK_FALSE(row.verdict.kept);
  CHECK(fixture.elites.archive().members(0).size() == 1);
}

TEST_CASE("a contest that would not end leaves the incumbent, and the challenger as runner-up") {
  Fixture fixture;
  fixture.settle(fixture.job(0, 1, measured(1)));
  Job job = fixture.job(1, 2, measured(2));
  auto contest = fixture.settler.judge(job);
  REQUIRE(contest);
  REQUIRE(contest->has_value());
  CHECK((*contest)->incumbent == 0);
  CHECK((*contest)->candidate.assignment == Assignment{1});
  CHECK((*contest)->compiled != nullptr);
  fixture.settler.concede(job, (*contest)->incumbent);
  const SettledRow row = fixture.settler.finish(job, fixture.no_options);
  CHECK(row.verdict.kind == Verdict::Kind::rejected);
  CHECK(row.verdict.kept);
  CHECK(row.verdict.comparison->finding == Comparison::Finding::ambiguous);
  CHECK(fixture.elites.archive().champion(0)->entry.id == 0);
}

TEST_CASE("evidence against a champion that has gone asks for new evidence") {
  Fixture fixture;
  fixture.settle(fixture.job(0, 1, measured(1)));
  Job job = fixture.job(1, 2, measured(5));
  REQUIRE(fixture.settler.judge(job)->has_value());
  // Meanwhile another one takes the cell.
  Job other = fixture.job(2, 3, measured(2));
  REQUIRE(fixture.settler.judge(other)->has_value());
  Comparison faster;
  faster.finding = Comparison::Finding::faster;
  faster.log2_gain = 1;
  CHECK_FALSE(fixture.settler.judge(other, 0, faster));
  const auto again = fixture.settler.judge(job, 0, faster);
  REQUIRE(again);
  CHECK(again->incumbent == 2);
  CHECK_FALSE(fixture.settler.judge(job, 2, faster));
  CHECK(job.verdict.kind == Verdict::Kind::improved);
  CHECK(job.verdict.compared_with == 2);
}

TEST_CASE("kept rows are in settlement order by time and ticket, whatever the order of tickets") {
  Fixture fixture;
  std::vector<std::uint64_t> order{5, 3, 9, 1, 0, 7};
  std::vector<KeptEntry> kept;
  const auto axes = make_axes(fixture.task->axes).value();
  double fitness = 10;
  for (const std::uint64_t ticket : order) {
    // Falling fitness: nobody is contested; cells alternate.
    const SettledRow row = fixture.settle(
        fixture.job(ticket, static_cast<std::int64_t>(ticket % 8), measured(fitness -= 1)));
    if (row.verdict.kept) kept.push_back(kept_entry(row, axes, {}).value());
  }
  std::vector<std::uint64_t> settled;
  for (const KeptEntry& entry : kept) settled.push_back(entry.entry.id);
  std::reverse(kept.begin(), kept.end());
  sort_by_settlement(kept);
  std::vector<std::uint64_t> sorted;
  for (const KeptEntry& entry : kept) sorted.push_back(entry.entry.id);
  CHECK(sorted == settled);
  CHECK(settled.size() >= 4);
}

TEST_CASE("replaying rows brings counts, lessons and the archive back") {
  Fixture first;
  first.settle(first.job(0, 1, measured(1)));
  first.settle(first.job(1, 5, failed(OutcomeKind::crashed)));
  first.settle(first.job(2, 6, measured(0.5)));
  Fixture second;
  second.settler.replay(hot_row(0, OutcomeKind::measured, Verdict::Kind::opened, 0.001), 1);
  second.settler.replay(hot_row(1, OutcomeKind::crashed, Verdict::Kind::none, 0.0005), 1);
  second.settler.replay(hot_row(2, OutcomeKind::measured, Verdict::Kind::opened, 0.001), 1);
  CHECK(second.settler.counts().outcomes == first.settler.counts().outcomes);
  CHECK(second.settler.counts().opened == 2);
  CHECK(second.mix.arms()[1].factor == first.mix.arms()[1].factor);
  CHECK(second.mix.arms()[0].factor == first.mix.arms()[0].factor);
  // An operator that the policy no longer has counts and teaches nobody.
  second.settler.replay(hot_row(3, OutcomeKind::crashed, Verdict::Kind::none, 1), 99);
  CHECK(second.settler.counts().settled == 4);
}
