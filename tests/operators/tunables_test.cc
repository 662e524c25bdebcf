// What is particular to each of the operators under operators/tunables.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "operators/tunables/compile_options.h"
#include "operators/tunables/line_crossover.h"
#include "operators/tunables/move_option.h"
#include "operators/tunables/mutate_tunable.h"
#include "operators/tunables/random_assignment.h"
#include "operators/tunables/restart_rare.h"
#include "operators/tunables/seed.h"
#include "tests/operators/fixtures.h"

using namespace kernatlas;
using testing::some_options;
using testing::source_of;
using testing::World;

namespace {

std::string list(int count) {
  std::string text = "[1";
  for (int i = 2; i <= count; ++i) text += ", " + std::to_string(i);
  return text + "]";
}

std::size_t differences(const Assignment& a, const Assignment& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

}  // namespace

TEST_CASE("seed: each seed source once, in order, with its first valid assignment") {
  const auto a = source_of("A = [4, 1, 2]", R"(c = "A < 4")");
  const auto hopeless = source_of("A = [1]", R"(c = "A > 1")");
  const auto b = source_of("B = [7, 8]");
  World world({a, hopeless, b});
  const auto op = make_seed();
  CHECK(op->parents().count == 0);
  Rng rng(1);
  const auto first = op->propose(world.around(0), rng);
  REQUIRE(first.has_value());
  CHECK(first->candidate.source == a);
  CHECK(first->candidate.assignment == Assignment{1});
  CHECK(first->candidate.options.empty());
  CHECK(first->parents.empty());
  const auto second = op->propose(world.around(1), rng);
  REQUIRE(second.has_value());
  CHECK(second->candidate.source == b);
  CHECK(second->candidate.assignment == Assignment{7});
  for (std::uint64_t ticket = 2; ticket < 5; ++ticket) {
    CHECK_FALSE(op->propose(world.around(ticket), rng).has_value());
  }
  // No memory: a resumed run asks a fresh operator and gets the same.
  CHECK(make_seed()->propose(world.around(1), rng)->candidate.source == b);
}

TEST_CASE("seed: a source that is no seed of the task is not one") {
  World world({source_of("A = [1]")});
  const World other({source_of("B = [1]")});
  const SearchSpace* spaces[] = {&other.space(0), &world.space(0)};
  const Surroundings around{.task = world.task(), .spaces = spaces, .parents = {}, .ticket = 0};
  Rng rng(1);
  CHECK(make_seed()->propose(around, rng)->candidate.source == world.task().seeds[0]);
}

TEST_CASE("random_assignment: any source alike, whatever its size; sometimes other options") {
  World world({source_of("A = " + list(50)), source_of("A = [1]", R"(c = "A > 1")"),
               source_of("B = [1, 2]")});
  const auto op = make_random_assignment();
  Rng rng(2);
  std::map<std::size_t, int> by_tunable;
  int with_options = 0;
  std::set<std::int64_t> values;
  for (int i = 0; i < 4000; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    REQUIRE(proposal.has_value());
    CHECK(proposal->parents.empty());
    const bool small = proposal->candidate.source == world.task().seeds[2];
    ++by_tunable[small];
    with_options += !proposal->candidate.options.empty();
    if (!small) values.insert(proposal->candidate.assignment[0]);
  }
  CHECK(std::abs(by_tunable[0] - 2000) < 160);
  CHECK(values.size() == 50);
  // A quarter of them, less those that drew the default (1 of 6): 833.
  CHECK(std::abs(with_options - 833) < 130);
}

TEST_CASE("mutate_tunable: one tunable differs, by one step three times out of four") {
  World world({source_of("A = " + list(100) + "\nB = " + list(100))});
  world.offer(0, 3, {50, 50}, {3, 0});
  const auto op = make_mutate_tunable();
  CHECK(op->parents().count == 1);
  Rng rng(3);
  int steps = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    REQUIRE(proposal.has_value());
    CHECK(proposal->parents == std::vector<std::uint64_t>{3});
    CHECK(proposal->candidate.options == CompileOptions{3, 0});
    const Assignment& to = proposal->candidate.assignment;
    REQUIRE(differences(to, {50, 50}) == 1);
    steps += std::abs(to[0] - 50) + std::abs(to[1] - 50) == 1;
  }
  // 3/4, and 4 of the 198 jumps.
  CHECK(std::abs(steps - 3020) < 140);
}

TEST_CASE("mutate_tunable: where only one kind of step exists, that one") {
  // From (2, 1), only B can move.
  World world({source_of("A = [1, 2]\nB = [1, 2, 3]", R"(c = "A == 2")")});
  world.offer(0, 1, {2, 1});
  const auto op = make_mutate_tunable();
  Rng rng(4);
  std::set<Assignment> seen;
  for (int i = 0; i < 100; ++i) seen.insert(op->propose(world.around(), rng)->candidate.assignment);
  CHECK(seen == std::set<Assignment>{{2, 2}, {2, 3}});
}

TEST_CASE("line_crossover: spreads along the line through both parents") {
  World world({source_of("A = " + list(41) + "\nB = " + list(41) + "\nC = [\"x\", \"y\", \"z\"]")});
  world.offer(0, 1, {11, 21, 0}, {2, 0});
  world.offer(0, 2, {31, 21, 2}, {3, 2});
  const auto op = make_line_crossover();
  CHECK(op->parents().count == 2);
  CHECK(op->parents().same_source);
  Rng rng(5);
  double spread_a = 0, spread_b = 0;
  std::set<std::int64_t> choices;
  std::set<CompileOptions> options;
  for (int i = 0; i < 2000; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    REQUIRE(proposal.has_value());
    CHECK(proposal->parents == std::vector<std::uint64_t>{1, 2});
    const Assignment& child = proposal->candidate.assignment;
    spread_a += std::abs(static_cast<double>(child[0] - 11));
    spread_b += std::abs(static_cast<double>(child[1] - 21));
    choices.insert(child[2]);
    options.insert(proposal->candidate.options);
  }
  CHECK(spread_a / 2000 > 6);    // the parents are 20 apart on A
  CHECK(spread_b / 2000 < 0.5);  // and equal on B: only the small isotropic part
  CHECK(spread_b > 0);
  CHECK(choices == std::set<std::int64_t>{0, 2});
  CHECK(options == std::set<CompileOptions>{{}, {2, 2}, {3, 0}, {3, 2}});
}

TEST_CASE("line_crossover: constraints are kept, different sources are not crossed") {
  World world({source_of("A = " + list(8) + "\nB = " + list(8), R"(c = "A + B == 9")"),
               source_of("A = " + list(8))});
  world.offer(0, 1, {1, 8});
  world.offer(0, 2, {8, 1});
  const auto op = make_line_crossover();
  Rng rng(6);
  int found = 0;
  for (int i = 0; i < 200; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    if (!proposal) continue;
    ++found;
    const Assignment& child = proposal->candidate.assignment;
    REQUIRE(child[0] + child[1] == 9);
  }
  CHECK(found > 100);
  world.parents().clear();
  world.offer(0, 1);
  CHECK_FALSE(op->propose(world.around(), rng).has_value());
  world.offer(1, 2);
  CHECK_FALSE(op->propose(world.around(), rng).has_value());
}

TEST_CASE("move_option: one option of the parent, every other value reachable") {
  World world({source_of("A = [1, 2]")});
  world.offer(0, 9, {2}, {3, 1});
  const auto op = make_move_option();
  Rng rng(7);
  std::map<CompileOptions, int> seen;
  for (int i = 0; i < 3000; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    REQUIRE(proposal.has_value());
    CHECK(proposal->candidate.assignment == Assignment{2});
    ++seen[proposal->candidate.options];
  }
  REQUIRE(seen.size() == 3);
  for (const auto& options : {CompileOptions{2, 1}, {3, 0}, {3, 2}}) {
    CHECK(std::abs(seen[options] - 1000) < 130);
  }
  World plain({source_of("A = [1, 2]")}, {});
  plain.offer(0, 9);
  CHECK_FALSE(op->propose(plain.around(), rng).has_value());
}

TEST_CASE("restart_rare: asks for a rare parent and redraws several tunables") {
  World world({source_of("A = " + list(9) + "\nB = " + list(9) + "\nC = " + list(9) +
                         "\nD = " + list(9) + "\nE = " + list(9) + "\nF = " + list(9))});
  const Assignment from{5, 5, 5, 5, 5, 5};
  world.offer(0, 4, from, {3, 0});
  const auto op = make_restart_rare();
  CHECK(op->parents().selector == "rarity");
  Rng rng(8);
  std::map<std::size_t, int> changed;
  for (int i = 0; i < 1000; ++i) {
    const auto proposal = op->propose(world.around(), rng);
    REQUIRE(proposal.has_value());
    CHECK(proposal->candidate.options == CompileOptions{3, 0});
    ++changed[differences(proposal->candidate.assignment, from)];
  }
  // Two or three are drawn; one in nine draws the value it had.
  CHECK(changed.rbegin()->first == 3);
  CHECK(changed[2] + changed[3] > 800);
  CHECK(changed[3] > 250);
}

TEST_CASE("compile options have one spelling") {
  const auto options = some_options();
  CHECK(written_out(options, {}) == CompileOptions{2, 0});
  CHECK(written_out(options, {3, 1}) == CompileOptions{3, 1});
  CHECK(written_out(options, {9, 1}) == CompileOptions{2, 0});
  CHECK(shortened(options, {2, 0}).empty());
  CHECK(shortened(options, {2, 1}) == CompileOptions{2, 1});
  CHECK(inherited(options, {2, 0}).empty());
  Rng rng(1);
  CHECK(random_options({}, rng).empty());
  std::set<CompileOptions> seen;
  for (int i = 0; i < 200; ++i) seen.insert(random_options(options, rng));
  CHECK(seen.size() == 6);
  CHECK(seen.contains(CompileOptions{}));
  CHECK_FALSE(seen.contains(CompileOptions{2, 0}));
}
