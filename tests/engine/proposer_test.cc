#include "engine/search/proposer.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

struct Fixture {
  std::shared_ptr<const Task> task = make_tunable_task(
      {"[tune]\nA = [1, 2, 3, 4, 5, 6, 7, 8]\n", "[tune]\nA = [1, 2, 3]\nB = [1, 2]\n"},
      {tune_axis("A", {1, 2, 3, 4, 5, 6, 7, 8, 9})});
  Policy policy = find_policy("map-elites").value();
  Elites elites{make_axes(task->axes).value(), 2};
  OperatorMix mix{policy.operators, true};
  OperatorRegistry registry = default_operators();
  std::vector<Tunable> options;
  Proposer proposer{task, options, registry, policy, elites, mix, 5};

  void add_elite(std::uint64_t ticket, std::size_t seed, Assignment assignment) {
    const Candidate candidate{task->seeds[seed], std::move(assignment), {}};
    const auto measures = measures_of(elites.archive().axes(), {}, candidate).value();
    elites.add(make_entry(ticket, measured(1), measures), candidate, nullptr, std::nullopt);
  }
};

}  // namespace

TEST_CASE("seeds come first, each once") {
  Fixture fixture;
  Job job;
  REQUIRE(fixture.proposer.propose(0, job));
  CHECK(fixture.proposer.operators()[job.arm]->name() == "seed");
  CHECK(job.candidate.source == fixture.task->seeds[0]);
  REQUIRE(fixture.proposer.propose(1, job));
  CHECK(job.candidate.source == fixture.task->seeds[1]);
  REQUIRE(fixture.proposer.propose(2, job));
  CHECK(fixture.proposer.operators()[job.arm]->name() != "seed");
}

TEST_CASE("a proposal is a function of seed, ticket, elites and what is known") {
  Fixture one, two;
  for (Fixture* fixture : {&one, &two}) {
    fixture->add_elite(100, 0, {3});
    fixture->add_elite(101, 1, {2, 1});
  }
  for (std::uint64_t ticket = 0; ticket < 10; ++ticket) {
    Job a, b;
    REQUIRE(one.proposer.propose(ticket, a));
    REQUIRE(two.proposer.propose(ticket, b));
    CHECK(a.id == b.id);
    CHECK(a.arm == b.arm);
    CHECK(a.parents == b.parents);
    CHECK(a.duplicates == b.duplicates);
  }
}

TEST_CASE("what is known is drawn again and counted, until nothing is left") {
  Fixture fixture;
  std::set<std::string> ids;
  std::uint64_t duplicates = 0;
  std::uint64_t ticket = 0;
  Job job;
  for (; fixture.proposer.propose(ticket, job); ++ticket) {
    ids.insert(job.id.hex());
    duplicates += job.duplicates;
  }
  CHECK(ticket == 14);  // 8 + 3 · 2
  CHECK(ids.size() == 14);
  CHECK(duplicates > 0);
}

TEST_CASE("candidates of earlier sessions are known") {
  Fixture fixture;
  fixture.proposer.expect(8);
  for (std::int64_t a = 1; a <= 8; ++a) {
    fixture.proposer.remember(Candidate{fixture.task->seeds[0], {a}, {}}.id());
  }
  Job job;
  std::uint64_t ticket = 0;
  for (; fixture.proposer.propose(ticket, job); ++ticket) {
    CHECK(job.candidate.source == fixture.task->seeds[1]);
  }
  CHECK(ticket == 6);
}

TEST_CASE("crossover gets two different parents of one source") {
  Fixture fixture;
  fixture.policy.operators = {{"line_crossover", 1}};
  OperatorMix mix(fixture.policy.operators, false);
  Proposer proposer(fixture.task, fixture.options, fixture.registry, fixture.policy, fixture.elites,
                    mix, 5);
  fixture.add_elite(100, 0, {1});
  Job job;
  CHECK_FALSE(proposer.propose(0, job));  // one elite is no pair
  fixture.add_elite(101, 1, {2, 2});
  CHECK_FALSE(proposer.propose(0, job));  // two of different sources neither
  fixture.add_elite(102, 0, {8});
  int made = 0;
  for (std::uint64_t ticket = 0; ticket < 6; ++ticket) {
    if (!proposer.propose(ticket, job)) continue;
    ++made;
    REQUIRE(job.parents.size() == 2);
    CHECK(std::set<std::uint64_t>(job.parents.begin(), job.parents.end()) ==
          std::set<std::uint64_t>{100, 102});
    CHECK(job.candidate.source == fixture.task->seeds[0]);
  }
  CHECK(made >= 1);
}

TEST_CASE("no options and every option's first value are one candidate") {
  Fixture fixture;
  fixture.options = {{.name = "opt", .values = {2, 3}, .labels = {}}};
  Proposer proposer(fixture.task, fixture.options, fixture.registry, fixture.policy, fixture.elites,
                    fixture.mix, 5);
  Job job;
  std::uint64_t ticket = 0;
  fixture.add_elite(100, 0, {1});
  std::set<std::string> ids;
  for (; proposer.propose(ticket, job); ++ticket) {
    CHECK(job.candidate.options.size() == 1);
    ids.insert(job.id.hex());
  }
  CHECK(ids.size() == ticket);
  CHECK(ticket <= 28);
}

TEST_CASE("a new source becomes a space of its own, once") {
  Fixture fixture;
  const auto other = make_tunable_task({"[tune]\nA = [1, 2, 3, 4, 5]\n"});
  fixture.proposer.add_source(other->seeds[0]);
  fixture.proposer.add_source(other->seeds[0]);
  std::uint64_t ticket = 0;
  Job job;
  while (fixture.proposer.propose(ticket, job)) ++ticket;
  CHECK(ticket == 14 + 5);
}
