#include "engine/search/stop.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kernatlas;

namespace {
Budget budget_of(const char* text) {
  return Budget::parse(text).value();
}
}  // namespace

TEST_CASE("a budget counts proposals, seconds and money") {
  Progress progress;
  const auto evaluations = stop_on_budget(budget_of("10e"));
  progress.spent.evaluations = 10;
  progress.spent.proposed = 9;
  CHECK_FALSE(evaluations->check(progress));
  progress.spent.proposed = 10;
  CHECK(evaluations->check(progress) == "budget");
  const auto seconds = stop_on_budget(budget_of("60s"));
  progress.spent.seconds = 59.9;
  CHECK_FALSE(seconds->check(progress));
  progress.spent.seconds = 60;
  CHECK(seconds->check(progress) == "budget");
  const auto money = stop_on_budget(budget_of("1usd"));
  CHECK_FALSE(money->check(progress));
  progress.spent.usd = 1;
  CHECK(money->check(progress) == "budget");
  CHECK_FALSE(stop_on_budget(budget_of("unlimited"))->check(progress));
}

TEST_CASE("a target is a speed-up, and nothing before the first elite") {
  const auto target = stop_at_speedup(4);
  Progress progress;
  progress.best_fitness = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(target->check(progress));
  progress.best_fitness = 1.99;
  CHECK_FALSE(target->check(progress));
  progress.best_fitness = 2;
  CHECK(target->check(progress) == "target");
  progress.best_fitness = -12;
  CHECK_FALSE(target->check(progress));
}

TEST_CASE("stagnation and exhaustion") {
  Progress progress;
  progress.evaluations_since_gain = 4;
  progress.consecutive_duplicates = 9;
  CHECK(stop_on_stagnation(4)->check(progress) == "stagnation");
  CHECK_FALSE(stop_on_stagnation(5)->check(progress));
  CHECK(stop_when_exhausted(9)->check(progress) == "exhausted");
  CHECK_FALSE(stop_when_exhausted(10)->check(progress));
}

TEST_CASE("the first reason of several counts") {
  std::vector<std::unique_ptr<StopCondition>> conditions;
  conditions.push_back(stop_on_budget(budget_of("100e")));
  conditions.push_back(stop_on_stagnation(3));
  conditions.push_back(stop_when_exhausted(1));
  const auto any = any_of(std::move(conditions));
  Progress progress;
  CHECK_FALSE(any->check(progress));
  progress.consecutive_duplicates = 1;
  CHECK(any->check(progress) == "exhausted");
  progress.evaluations_since_gain = 3;
  CHECK(any->check(progress) == "stagnation");
  progress.spent.proposed = 100;
  CHECK(any->check(progress) == "budget");
  CHECK_FALSE(any_of({})->check(progress));
}
