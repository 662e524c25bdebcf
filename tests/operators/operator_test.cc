// What holds for every operator, and for the registry.
#include "operators/operator.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "tests/operators/fixtures.h"

using namespace kernatlas;
using testing::source_of;
using testing::World;

namespace {

const char* const kNames[] = {"seed",           "random_assignment", "mutate_tunable",
                              "line_crossover", "move_option",       "restart_rare"};

// Proposes whatever it was given.
class Canned final : public Operator {
 public:
  explicit Canned(Proposal proposal) : proposal_(std::move(proposal)) {}
  std::string_view name() const override { return "canned"; }
  std::string_view summary() const override { return "for tests"; }

 protected:
  std::optional<Proposal> do_propose(const Surroundings&, Rng&) override { return proposal_; }

 private:
  Proposal proposal_;
};

// Whether `action` aborts the process (tried in a child).
template <typename Action>
bool aborts(Action action) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    std::signal(SIGABRT, SIG_DFL);
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

bool refused(const World& world, Proposal proposal) {
  return aborts([&] {
    Rng rng(1);
    Canned canned(std::move(proposal));
    static_cast<void>(canned.propose(world.around(), rng));
  });
}

}  // namespace

TEST_CASE("the registry has the six operators, by name, with summaries") {
  const OperatorRegistry registry = default_operators();
  REQUIRE(registry.all().size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(registry.all()[i]->name() == kNames[i]);
    CHECK_FALSE(registry.all()[i]->summary().empty());
    CHECK(registry.find(kNames[i]) == registry.all()[i].get());
  }
  CHECK(registry.find("canned") == nullptr);
}

TEST_CASE("a name is registered once") {
  OperatorRegistry registry;
  registry.add(std::make_unique<Canned>(Proposal{}));
  CHECK(aborts([&] { registry.add(std::make_unique<Canned>(Proposal{})); }));
  CHECK(aborts([&] { registry.add(nullptr); }));
}

TEST_CASE("every proposal of every operator is valid, differs from its parent, and repeats") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    Rng make(seed);
    World world({testing::random_source(make), testing::random_source(make)});
    for (std::uint64_t ticket = 10; ticket < 12; ++ticket) {
      if (!world.space(0).empty()) world.offer(0, ticket, *world.space(0).sample(make));
    }
    for (const char* name : kNames) {
      CAPTURE(name);
      Rng a(seed), b(seed);
      OperatorRegistry first = default_operators(), second = default_operators();
      for (std::uint64_t ticket = 0; ticket < 40; ++ticket) {
        const auto proposal = first.find(name)->propose(world.around(ticket), a);
        const auto again = second.find(name)->propose(world.around(ticket), b);
        REQUIRE(proposal.has_value() == again.has_value());
        if (!proposal) continue;
        const Candidate& candidate = proposal->candidate;
        REQUIRE(candidate.id() == again->candidate.id());
        REQUIRE(proposal->parents == again->parents);
        REQUIRE(is_valid(world.task(), *candidate.source, candidate.assignment));
        for (const std::uint64_t parent : proposal->parents) {
          REQUIRE(candidate.id() != world.parents()[parent - 10].candidate.id());
        }
        first.find(name)->learn({.ticket = ticket});
        second.find(name)->learn({.ticket = ticket});
      }
    }
  }
}

TEST_CASE("nothing to offer: no spaces, empty spaces, no parents, nothing to change") {
  Rng rng(1);
  const auto hopeless = source_of("A = [1, 2]", R"(never = "A > 2")");
  for (const char* name : kNames) {
    CAPTURE(name);
    OperatorRegistry registry = default_operators();
    Operator& op = *registry.find(name);
    CHECK_FALSE(op.propose(World({}).around(0), rng).has_value());
    World empty({hopeless});
    CHECK_FALSE(op.propose(empty.around(0), rng).has_value());
    empty.offer(0, 1, {1});
    empty.offer(0, 2, {2});
    CHECK_FALSE(op.propose(empty.around(0), rng).has_value());
    World still({source_of("")}, {});
    still.offer(0, 1);
    still.offer(0, 2);
    const bool needs_none = op.parents().count == 0;
    CHECK(op.propose(still.around(0), rng).has_value() == needs_none);
    // A parent whose source has no space here.
    World elsewhere({source_of("A = [1, 2, 3]")});
    elsewhere.parents() = still.parents();
    CHECK(op.propose(elsewhere.around(0), rng).has_value() == needs_none);
  }
}

TEST_CASE("spaces are found by content, not by address") {
  World world({source_of("A = [1, 2]"), source_of("B = [1, 2]")});
  CHECK(space_of(world.around(), *source_of("B = [1, 2]")) == &world.space(1));
  CHECK(space_of(world.around(), *world.task().seeds[0]) == &world.space(0));
  CHECK(space_of(world.around(), *source_of("C = [1, 2]")) == nullptr);
}

TEST_CASE("a proposal that breaks the promise is a programmer's error") {
  const auto source = source_of("A = [1, 2, 3]", R"(c = "A != 2")");
  World world({source});
  world.offer(0, 5);
  CHECK_FALSE(refused(world, {{source, {1}, {}}, {5}}));
  CHECK_FALSE(refused(world, {{source, {3}, {3, 2}}, {}}));
  CHECK(refused(world, {{nullptr, {1}, {}}, {}}));
  CHECK(refused(world, {{source, {2}, {}}, {}}));
  CHECK(refused(world, {{source, {}, {}}, {}}));
  CHECK(refused(world, {{source, {1}, {2}}, {}}));
  CHECK(refused(world, {{source, {1}, {2, 9}}, {}}));
  CHECK(refused(world, {{source, {1}, {}}, {6}}));
  // A new source is checked too, though it has no space yet.
  const auto fresh = source_of("Z = [4, 5]", R"(c = "Z == 5")");
  CHECK_FALSE(refused(world, {{fresh, {5}, {}}, {}}));
  CHECK(refused(world, {{fresh, {4}, {}}, {}}));
}
