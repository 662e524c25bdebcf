#include "operators/tunables/search_space.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "tests/operators/fixtures.h"

using namespace kernatlas;
using testing::raw_assignments;
using testing::source_of;
using testing::task_of;

namespace {

SearchSpace space_over(const KernelSourcePtr& source) {
  return SearchSpace(task_of({source}), source, {});
}

std::size_t position(const Tunable& tunable, std::int64_t value) {
  const auto found = std::find(tunable.values.begin(), tunable.values.end(), value);
  return static_cast<std::size_t>(found - tunable.values.begin());
}

std::uint64_t distance(const KernelSource& source, const Assignment& a, const Assignment& b) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = position(source.tunables()[i], a[i]), y = position(source.tunables()[i], b[i]);
    sum += x < y ? y - x : x - y;
  }
  return sum;
}

// The definition of neighbours(), from the list of valid assignments.
std::set<Assignment> neighbours_of(const KernelSource& source, const std::vector<Assignment>& valid,
                                   const Assignment& from, bool adjacent) {
  std::set<Assignment> found;
  for (std::size_t t = 0; t < from.size(); ++t) {
    std::vector<Assignment> smaller, larger;  // sorted by value, since only tunable t differs
    for (const Assignment& to : valid) {
      Assignment rest = to;
      rest[t] = from[t];
      if (rest != from || to == from) continue;
      (to[t] < from[t] ? smaller : larger).push_back(to);
    }
    std::sort(smaller.begin(), smaller.end());
    std::sort(larger.begin(), larger.end());
    if (adjacent && !source.tunables()[t].is_choice()) {
      if (!smaller.empty()) found.insert(smaller.back());
      if (!larger.empty()) found.insert(larger.front());
    } else {
      found.insert(smaller.begin(), smaller.end());
      found.insert(larger.begin(), larger.end());
    }
  }
  return found;
}

void check_against_definition(const KernelSourcePtr& source, Rng& rng) {
  const auto task = task_of({source});
  const SearchSpace space(task, source, {});
  const auto raw = raw_assignments(*source);
  std::vector<Assignment> valid;
  for (const Assignment& each : raw) {
    const bool good = is_valid(*task, *source, each);
    if (good) valid.push_back(each);
    REQUIRE(space.valid(each) == good);
  }
  REQUIRE(space.size().value() == valid.size());
  REQUIRE(space.empty() == valid.empty());
  REQUIRE(space.first() == (valid.empty() ? std::nullopt : std::optional(valid.front())));
  for (int i = 0; i < 10; ++i) {
    const Assignment& from = raw[uniform_below(rng, raw.size())];
    for (const bool adjacent : {true, false}) {
      const auto expected = neighbours_of(*source, valid, from, adjacent);
      const auto listed = space.neighbours(from, adjacent);
      REQUIRE(std::set<Assignment>(listed.begin(), listed.end()) == expected);
      REQUIRE(listed.size() == expected.size());
      const auto one = space.random_neighbour(from, adjacent, rng);
      REQUIRE(one.has_value() == !expected.empty());
      if (one) REQUIRE(expected.contains(*one));
    }
    const auto repaired = space.repair(from, rng);
    REQUIRE(repaired.has_value() == !valid.empty());
    if (valid.empty()) continue;
    const auto nearest =
        std::min_element(valid.begin(), valid.end(), [&](const auto& a, const auto& b) {
          return distance(*source, a, from) < distance(*source, b, from);
        });
    REQUIRE(*repaired == *nearest);
    REQUIRE(space.valid(space.sample(rng).value()));
  }
  if (valid.empty()) CHECK_FALSE(space.sample(rng).has_value());
}

// Eight tunables of sixteen values: 2^32 raw assignments.
std::string large_tune() {
  std::string tune;
  for (int t = 0; t < 8; ++t) {
    tune += "T" + std::to_string(t) + " = [1";
    for (int v = 2; v <= 16; ++v) tune += ", " + std::to_string(v);
    tune += "]\n";
  }
  return tune;
}

}  // namespace

TEST_CASE("random spaces do what the definitions say") {
  int empty = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    Rng rng(seed);
    const auto source = testing::random_source(rng);
    CAPTURE(source->text());
    check_against_definition(source, rng);
    empty += space_over(source).empty();
  }
  CHECK(empty > 0);
  CHECK(empty < 30);
}

TEST_CASE("a constraint must hold for every workload, hidden ones too") {
  const auto space = space_over(source_of("B = [1, 3, 9, 4, 16]", R"(whole = "ROWS % B == 0")"));
  // 8192 alone would allow 4 and 16; 333 = 9 · 37 alone would allow 3 and 9.
  CHECK(space.size().value() == 1);
  CHECK(space.first().value() == Assignment{1});
}

TEST_CASE("sampling is uniform over the valid assignments") {
  const auto space = space_over(source_of("A = [1, 2, 3, 4, 5, 6]\nB = [1, 2, 3, 4, 5, 6]",
                                          R"(most = "A * B >= 9 or A == 1")"));
  const auto size = static_cast<double>(space.size().value());
  REQUIRE(size > 20);
  Rng rng(5);
  std::map<Assignment, int> seen;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) ++seen[space.sample(rng).value()];
  CHECK(static_cast<double>(seen.size()) == size);  // every one is met
  double chi_square = 0;
  for (const auto& [assignment, count] : seen) {
    chi_square += std::pow(count - kDraws / size, 2) / (kDraws / size);
  }
  // Mean size − 1, standard deviation sqrt(2 (size − 1)): four of them above.
  CHECK(chi_square < size - 1 + 4 * std::sqrt(2 * (size - 1)));
}

TEST_CASE("a random neighbour is any neighbour with the same probability") {
  const auto space = space_over(
      source_of("A = [1, 2, 3, 4, 5, 6, 7]\nB = [\"x\", \"y\", \"z\"]", R"(odd = "A % 2 == 1")"));
  Rng rng(6);
  for (const bool adjacent : {true, false}) {
    std::map<Assignment, int> seen;
    for (int i = 0; i < 6000; ++i) ++seen[space.random_neighbour({3, 0}, adjacent, rng).value()];
    const std::map<Assignment, int> expected =
        adjacent ? std::map<Assignment, int>{{{1, 0}, 1}, {{5, 0}, 1}, {{3, 1}, 1}, {{3, 2}, 1}}
                 : std::map<Assignment, int>{
                       {{1, 0}, 1}, {{5, 0}, 1}, {{7, 0}, 1}, {{3, 1}, 1}, {{3, 2}, 1}};
    REQUIRE(seen.size() == expected.size());
    const double share = 6000.0 / static_cast<double>(expected.size());
    for (const auto& [assignment, count] : seen) {
      CHECK(expected.contains(assignment));
      CHECK(std::abs(count - share) < 5 * std::sqrt(share));
    }
  }
}

TEST_CASE("no tunables: one assignment, no neighbours") {
  const auto space = space_over(source_of(""));
  Rng rng(1);
  CHECK(space.size().value() == 1);
  CHECK(space.first().value().empty());
  CHECK(space.sample(rng).value().empty());
  CHECK(space.neighbours({}, false).empty());
  CHECK_FALSE(space.random_neighbour({}, false, rng).has_value());
  CHECK(space.repair({}, rng).value().empty());
  CHECK(space.valid({}));
}

TEST_CASE("empty spaces offer nothing") {
  Rng rng(1);
  for (const char* constraint :
       {R"(never = "ROWS < 300")", R"(never = "A > 9")", R"(fails = "A / (A - A) == 1")"}) {
    CAPTURE(constraint);
    const auto space = space_over(source_of("A = [1, 2, 3]", constraint));
    CHECK(space.empty());
    CHECK(space.size().value() == 0);
    CHECK_FALSE(space.first().has_value());
    CHECK_FALSE(space.sample(rng).has_value());
    CHECK_FALSE(space.repair({2}, rng).has_value());
    CHECK(space.neighbours({1}, false).empty());
    CHECK_FALSE(space.valid({1}));
  }
}

TEST_CASE("values that were never declared are invalid, and repaired to the closest") {
  const auto space = space_over(source_of("A = [8, 2, 4]\nB = [\"x\", \"y\"]"));
  Rng rng(1);
  CHECK_FALSE(space.valid({3, 0}));
  CHECK_FALSE(space.valid({2}));
  CHECK_FALSE(space.valid({2, 0, 0}));
  CHECK(space.neighbours({3, 0}, false).empty());
  CHECK_FALSE(space.random_neighbour({3, 0}, false, rng).has_value());
  CHECK(space.repair({3, 0}, rng).value() == Assignment{2, 0});
  CHECK(space.repair({7, 9}, rng).value() == Assignment{8, 1});
  constexpr auto kSmallest = std::numeric_limits<std::int64_t>::min();
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();
  CHECK(space.repair({kSmallest, kLargest}, rng).value() == Assignment{2, 1});
}

TEST_CASE("a space too large to enumerate hands out valid assignments only") {
  const auto source = source_of(large_tune(),
                                "a = \"T0 * T7 <= 64\"\nb = \"T1 % T2 == 0\"\n"
                                "c = \"T3 + T4 + T5 + T6 + T7 > 12\"");
  const auto task = task_of({source});
  const SearchSpace space(task, source, {});
  CHECK_FALSE(space.size().has_value());
  CHECK_FALSE(space.empty());
  CHECK(space.first().value() == Assignment{1, 1, 1, 1, 1, 1, 1, 9});
  Rng rng(8);
  std::set<Assignment> seen;
  for (int i = 0; i < 100; ++i) {
    const Assignment from = space.sample(rng).value();
    seen.insert(from);
    REQUIRE(is_valid(*task, *source, from));
    for (const bool adjacent : {true, false}) {
      const auto all = space.neighbours(from, adjacent);
      REQUIRE_FALSE(all.empty());
      REQUIRE(space.valid(all[uniform_below(rng, all.size())]));
      REQUIRE(space.valid(space.random_neighbour(from, adjacent, rng).value()));
    }
    // Two steps at most: T1 to a multiple of T2 within the larger half, T7 or T0 down.
    Assignment wanted = from;
    wanted[1] = 15;
    const auto repaired = space.repair(wanted, rng).value();
    REQUIRE(space.valid(repaired));
    REQUIRE(distance(*source, repaired, wanted) <= distance(*source, from, wanted));
  }
  CHECK(seen.size() > 95);
  // Neighbours of what is not valid itself are checked in full.
  for (const Assignment& each : space.neighbours({16, 1, 1, 1, 1, 1, 1, 16}, false)) {
    CHECK(is_valid(*task, *source, each));
  }
}

TEST_CASE("a large space with rare valid assignments is searched, not guessed") {
  // A chain: each tunable follows from the one before. 16 of 2^32 are valid.
  std::string chain;
  for (int t = 1; t < 8; ++t) {
    chain += "c" + std::to_string(t) + " = \"T" + std::to_string(t) + " == T" +
             std::to_string(t - 1) + " % 16 + 1\"\n";
  }
  const auto space = space_over(source_of(large_tune(), chain));
  CHECK_FALSE(space.empty());
  CHECK(space.first().value() == Assignment{1, 2, 3, 4, 5, 6, 7, 8});
  Rng rng(9);
  std::set<Assignment> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(space.sample(rng).value());
    REQUIRE(space.valid(*seen.rbegin()));
  }
  CHECK(seen.size() == 16);
  CHECK(space.repair({3, 4, 5, 6, 7, 8, 9, 9}, rng).value() == Assignment{3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(space.valid(space.repair({16, 1, 16, 1, 16, 1, 16, 1}, rng).value()));
  CHECK(space.neighbours({1, 2, 3, 4, 5, 6, 7, 8}, false).empty());
  CHECK_FALSE(space.random_neighbour({1, 2, 3, 4, 5, 6, 7, 8}, false, rng).has_value());
}

TEST_CASE("a large space without a valid assignment is found out") {
  Rng rng(1);
  for (const char* constraint : {R"(never = "T0 > 16")", R"(never = "ROWS > 400")"}) {
    const auto space = space_over(source_of(large_tune(), constraint));
    CHECK(space.empty());
    CHECK_FALSE(space.sample(rng).has_value());
    CHECK_FALSE(space.repair(Assignment(8, 1), rng).has_value());
  }
  // The contradiction shows at the last tunable only: the bounded search gives up.
  CHECK(space_over(source_of(large_tune(), R"(never = "T0 + T1 + T6 + T7 > 64")")).empty());
}

TEST_CASE("a constraint over many tunables is evaluated, not tabulated") {
  std::string sum = "all = \"T0";
  for (int t = 1; t < 8; ++t) sum += " + T" + std::to_string(t);
  const auto source = source_of(large_tune(), sum + " == 90\"");
  const auto task = task_of({source});
  const SearchSpace space(task, source, {});
  Rng rng(2);
  for (int i = 0; i < 20; ++i) CHECK(is_valid(*task, *source, space.sample(rng).value()));
}

TEST_CASE("a task without workloads, as recorded ones are: constraints on tunables count") {
  const auto source = source_of("A = [1, 2, 3]", R"(small = "A < 3")");
  const SearchSpace space(std::make_shared<Task>(), source, {});
  CHECK(space.size().value() == 2);
}

TEST_CASE("the same generator gives the same answers; spaces move") {
  Rng make(4);
  const auto source = source_of("A = [1, 2, 3, 4, 5]\nB = [1, 2, 3, 4, 5]", R"(c = "A != B")");
  SearchSpace space = space_over(source);
  Rng a(7), b(7);
  const SearchSpace moved = std::move(space);
  const SearchSpace again = space_over(source);
  for (int i = 0; i < 50; ++i) {
    const Assignment from = moved.sample(a).value();
    CHECK(again.sample(b).value() == from);
    CHECK(moved.random_neighbour(from, false, a) == again.random_neighbour(from, false, b));
    CHECK(moved.repair({1, 1}, a) == again.repair({1, 1}, b));
  }
  CHECK(moved.source() == source);
  CHECK(moved.options().empty());
}

TEST_CASE("a constraint that does not parse is refused with its place") {
  const auto source = source_of("A = [1]", R"(c = "A < NOWHERE")");
  CHECK_THROWS_AS(static_cast<void>(space_over(source)), std::invalid_argument);
  try {
    static_cast<void>(space_over(source));
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).find("k.cpp:5") != std::string::npos);
  }
}
