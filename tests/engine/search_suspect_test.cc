// What is far faster than anything known is measured again before it is believed.
#include <doctest/doctest.h>

#include <map>
#include <mutex>

#include "tests/support/search_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

constexpr double kWonder = 5;  // 32 times as fast as the baseline

// One of 16 candidates is a wonder: `looks` are its fitness at each look, the last one repeats.
struct Run {
  std::map<std::int64_t, Outcome> outcomes;  // by the tunable's value
  int looks = 0;
};

Run run_with(const std::vector<double>& looks, bool ordered = false) {
  std::string values = "1";
  for (int i = 2; i <= 16; ++i) values += ", " + std::to_string(i);
  const auto task =
      make_tunable_task({"[tune]\nA = [" + values + "]\n"}, {tune_axis("A", {1, 17})});
  SearchOptions options = search_options("random", "16e");
  options.ordered = ordered;
  MemoryDatabase database(info_for(*task, options));
  FakeBench bench;
  bench.repeats = false;
  Run run;
  bench.on_evaluate = [&](const Candidate& candidate, std::uint64_t, int) {
    if (candidate.assignment.front() != 9) return measured(0.5);
    const auto look =
        std::min<std::size_t>(static_cast<std::size_t>(run.looks++), looks.size() - 1);
    return looks[look] < 0 ? failed(OutcomeKind::wrong_result) : measured(looks[look], 0.01);
  };
  FunctionObserver observer([&](const SettledRow& row, const SearchStatus&) {
    run.outcomes.emplace(std::stoll(row.assignment.substr(2)), row.outcome);
  });
  REQUIRE(run_search(task, bench, database, options, &observer).end);
  REQUIRE(run.outcomes.size() == 16);
  return run;
}

}  // namespace

TEST_CASE("a wonder that happens twice is believed, at the slower of its times") {
  const Run run = run_with({kWonder, kWonder - 0.25});
  CHECK(run.looks == 2);
  CHECK(run.outcomes.at(9).measured());
  CHECK(run.outcomes.at(9).fitness == kWonder - 0.25);
  const Run slower_first = run_with({kWonder - 0.25, kWonder});
  CHECK(slower_first.outcomes.at(9).fitness == kWonder - 0.25);
  CHECK(slower_first.outcomes.at(9).fitness_interval.high == doctest::Approx(kWonder - 0.24));
}

TEST_CASE("a wonder that does not repeat is rejected, and says so") {
  const Run run = run_with({kWonder, 1.0});
  CHECK(run.looks == 2);
  CHECK(run.outcomes.at(9).kind == OutcomeKind::rejected);
  CHECK(run.outcomes.at(9).message == "suspect: 32x at first, 2x when measured again");
}

TEST_CASE("a wonder that is wrong at the second look is wrong") {
  const Run run = run_with({kWonder, -1});
  CHECK(run.outcomes.at(9).kind == OutcomeKind::wrong_result);
}

TEST_CASE("ten times as fast is the limit, and ordered mode has none") {
  CHECK(run_with({3.3}).looks == 1);  // 9.8 times
  CHECK(run_with({kWonder}, true).looks == 1);
}
