#include "backends/cpu/input_cases.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/backends/cpu/scale_task.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

std::vector<std::int32_t> perturbed(const char* fill_text, std::vector<std::int32_t> data,
                                    std::int64_t bound, SecretRng& rng) {
  const auto fill = parse_fill(fill_text, DType::i32);
  REQUIRE(fill);
  const std::vector<std::int32_t> before = data;
  const auto touched = perturb({.fill = &*fill, .bound = bound}, DType::i32,
                               std::as_writable_bytes(std::span(data)), rng);
  // What is not reported is unchanged.
  std::vector<std::int32_t> rebuilt = before;
  for (const ByteRange& range : touched) {
    REQUIRE(range.begin + range.bytes <= 4 * data.size());
    std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(range.begin / 4), range.bytes / 4,
                rebuilt.begin() + static_cast<std::ptrdiff_t>(range.begin / 4));
  }
  CHECK(rebuilt == data);
  return data;
}

}  // namespace

TEST_CASE("cases cover every fill of every input") {
  const TempDir dir;
  const auto task = scale_task(dir);
  CHECK(covering_cases(*task) == 3);
  SecretRng rng(1);
  std::set<std::string> seen;
  for (std::size_t number = 0; number < 3; ++number) {
    const auto made = make_inputs(*task, 1, number, rng);
    REQUIRE(made);
    CHECK(made->inputs[0].size() == 500u * 96 * 4);
    seen.insert(made->fills[0].fill->text);
  }
  CHECK(seen == std::set<std::string>{"normal", "wide", "spikes"});
}

TEST_CASE("two cases of the same fill differ") {
  const TempDir dir;
  const auto task = scale_task(dir);
  SecretRng rng(1);
  CHECK(make_inputs(*task, 0, 0, rng)->inputs[0] != make_inputs(*task, 0, 0, rng)->inputs[0]);
}

TEST_CASE("perturbed data keeps its distribution's promises and changes") {
  const std::uint64_t seed = 321;
  MESSAGE("seed " << seed);
  SecretRng rng(seed);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::int32_t> sorted(200);
    for (int i = 0; i < 200; ++i) sorted[static_cast<std::size_t>(i)] = 3 * i;
    const auto moved = perturbed("sorted", sorted, 0, rng);
    CHECK(std::is_sorted(moved.begin(), moved.end()));
    CHECK(moved != sorted);

    std::vector<std::int32_t> permutation(200);
    for (int i = 0; i < 200; ++i) permutation[static_cast<std::size_t>(i)] = i;
    auto swapped = perturbed("permutation", permutation, 0, rng);
    CHECK(swapped != permutation);
    std::sort(swapped.begin(), swapped.end());
    CHECK(swapped == permutation);

    std::vector<std::int32_t> bounded(200, 5);
    for (const auto value : perturbed("integers(3, 9)", bounded, 0, rng)) {
      CHECK(value >= 3);
      CHECK(value <= 9);
    }
    CHECK(perturbed("ones", std::vector<std::int32_t>(9, 1), 0, rng) ==
          std::vector<std::int32_t>(9, 1));
    (void)perturbed("integers(3, 9)", {4}, 0, rng);
    (void)perturbed("integers(3, 9)", {}, 0, rng);
  }
}

TEST_CASE("picks are spread over the pool, and a replaced case is gone") {
  SecretRng rng(2);
  CasePool pool(1);
  std::vector<InputCasePtr> cases;
  for (int i = 0; i < 4; ++i) {
    cases.push_back(std::make_shared<InputCase>());
    pool.add(cases.back());
  }
  const auto picks = pool.pick_several(0, 4, rng);
  CHECK(std::set<InputCasePtr>(picks.begin(), picks.end()).size() == 4);
  CHECK(pool.pick_several(0, 9, rng).size() == 9);
  std::set<InputCasePtr> seen;
  for (int i = 0; i < 200; ++i) seen.insert(pool.pick(0, rng));
  CHECK(seen.size() == 4);
  const auto fresh = std::make_shared<InputCase>();
  pool.replace(fresh, rng);
  CHECK(pool.size(0) == 4);
  const auto after = pool.pick_several(0, 4, rng);
  CHECK(std::count(after.begin(), after.end(), fresh) == 1);
}
