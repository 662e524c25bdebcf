#include "backends/recorded/recorded_backend.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>

#include "backends/recorded/recorded_task.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;

namespace {

constexpr const char* kTable =
    "A,status,median_ms,runs,compile_ms,benchmark_ms,overhead_ms\n"
    "1,measured,8,32,100,20,3\n"
    "2,measured,4,32,100,10,3\n"
    "3,measured,2,32,100,5,3\n"
    "4,launch_error,,,90,1,2\n"
    "5,compile_error,,,70,,1\n";

struct Fixture {
  testing::TempDir dir;
  std::shared_ptr<const Task> task = load_recorded_task(dir.write("t.csv", kTable)).value();
  std::unique_ptr<Backend> backend = make_recorded_backend();

  Result<std::unique_ptr<Bench>> open(std::map<std::string, std::string> parameters,
                                      std::uint64_t seed = 1, int devices = 0) {
    BenchOptions options;
    options.parameters = std::move(parameters);
    options.seed = seed;
    options.devices = devices;
    return backend->open(task, options);
  }
  Candidate candidate(std::int64_t a) const { return {task->seeds[0], {a}, {}}; }
  Outcome evaluate(Bench& bench, std::int64_t a, std::uint64_t ticket, int device = 0) const {
    auto compiled = bench.compiler().compile(candidate(a));
    if (!compiled) return compiled.error();
    return bench.evaluators()
        .at(static_cast<std::size_t>(device))
        ->evaluate(candidate(a), **compiled, ticket, std::nullopt);
  }
  Comparison compare(Bench& bench, std::int64_t a, std::int64_t b, std::uint64_t ticket) const {
    const Compiled none;
    return bench.evaluators()[0]->compare(candidate(a), none, candidate(b), none, ticket);
  }
};

}  // namespace

TEST_CASE("a replay gives what the table says, and what it cost") {
  Fixture fixture;
  const auto bench = fixture.open({}).value();
  const Outcome fast = fixture.evaluate(*bench, 3, 0);
  CHECK(fast.measured());
  CHECK(fast.fitness == 1);  // baseline 4 ms
  CHECK(fast.fitness_interval == Interval{1, 1});
  REQUIRE(fast.times.size() == 1);
  CHECK(fast.times[0].median_ns == 2e6);
  CHECK(fast.times[0].baseline_ns == 4e6);
  CHECK(fast.times[0].samples == 32);
  CHECK(fast.costs.total_s() == doctest::Approx(0.108));
  CHECK(fast.device == bench->evaluators()[0]->info().contract_text());
  CHECK(fixture.evaluate(*bench, 1, 0).fitness == -1);

  const Outcome launch = fixture.evaluate(*bench, 4, 0);
  CHECK(launch.kind == OutcomeKind::launch_error);
  CHECK(launch.stage == Stage::load);
  CHECK(std::isnan(launch.fitness));
  CHECK(launch.costs.total_s() == doctest::Approx(0.093));
  const auto compile = bench->compiler().compile(fixture.candidate(5));
  REQUIRE_FALSE(compile);
  CHECK(compile.error().kind == OutcomeKind::compile_error);
  CHECK(compile.error().costs.compile_s == doctest::Approx(0.07));
  CHECK(bench->baselines().at(0).median_ns == std::vector<double>{4e6});
  CHECK(bench->deterministic());
  CHECK(bench->default_axes().size() == 1);
}

TEST_CASE("what the table lacks does not compile, and says so") {
  Fixture fixture;
  const auto bench = fixture.open({}).value();
  const auto compiled = bench->compiler().compile(fixture.candidate(99));
  REQUIRE_FALSE(compiled);
  CHECK(compiled.error().kind == OutcomeKind::compile_error);
  CHECK(compiled.error().message == "not in the table");
  CHECK(fixture.compare(*bench, 99, 1, 0).finding == Comparison::Finding::failed);
  CHECK(fixture.compare(*bench, 4, 1, 0).finding == Comparison::Finding::failed);
  CHECK(bench->evaluators()[0]->evaluate(fixture.candidate(99), {}, 0, std::nullopt).kind ==
        OutcomeKind::compile_error);
}

TEST_CASE("noise is a function of seed and ticket, the same on every device") {
  Fixture fixture;
  const auto bench = fixture.open({{"noise", "0.1"}}, 5, 3).value();
  const auto same = fixture.open({{"noise", "0.1"}}, 5, 1).value();
  const auto other = fixture.open({{"noise", "0.1"}}, 6, 1).value();
  CHECK(bench->evaluators().size() == 3);
  double sum = 0, squares = 0;
  const int count = 4000;
  int inside = 0;
  for (std::uint64_t ticket = 0; ticket < count; ++ticket) {
    const Outcome outcome = fixture.evaluate(*bench, 2, ticket, static_cast<int>(ticket % 3));
    CHECK(outcome.fitness == fixture.evaluate(*same, 2, ticket).fitness);
    if (ticket < 10) CHECK(outcome.fitness != fixture.evaluate(*other, 2, ticket).fitness);
    const double relative = outcome.fitness * std::log(2.0);
    sum += relative;
    squares += relative * relative;
    inside += outcome.fitness_interval.low <= 0 && outcome.fitness_interval.high >= 0 ? 1 : 0;
  }
  CHECK(std::abs(sum / count) < 0.01);
  CHECK(std::sqrt(squares / count) == doctest::Approx(0.1).epsilon(0.05));
  CHECK(inside == doctest::Approx(0.95 * count).epsilon(0.02));
}

TEST_CASE("an examination draws its own noise") {
  Fixture fixture;
  const auto bench = fixture.open({{"noise", "0.1"}}).value();
  const Compiled none;
  const Outcome examined = bench->evaluators()[0]->examine(fixture.candidate(2), none, 3);
  CHECK(examined.measured());
  CHECK(examined.fitness != fixture.evaluate(*bench, 2, 3).fitness);
}

TEST_CASE("a comparison averages the noise away, and knows when it cannot tell") {
  Fixture fixture;
  using Finding = Comparison::Finding;
  const auto exact = fixture.open({}).value();
  CHECK(fixture.compare(*exact, 3, 2, 0).finding == Finding::faster);
  CHECK(fixture.compare(*exact, 3, 2, 0).log2_gain == 1);
  CHECK(fixture.compare(*exact, 2, 3, 0).finding == Finding::slower);
  CHECK(fixture.compare(*exact, 2, 2, 0).finding == Finding::ambiguous);

  const auto noisy = fixture.open({{"noise", "0.2"}}).value();
  int wrong = 0, tied = 0;
  for (std::uint64_t ticket = 0; ticket < 300; ++ticket) {
    const Comparison comparison = fixture.compare(*noisy, 3, 2, ticket);
    wrong += comparison.finding == Finding::faster ? 0 : 1;
    tied += fixture.compare(*noisy, 2, 2, ticket).finding == Finding::ambiguous ? 1 : 0;
    CHECK(comparison.log2_gain == fixture.compare(*noisy, 3, 2, ticket).log2_gain);
    CHECK(comparison.wins <= comparison.pairs);
  }
  CHECK(wrong == 0);
  CHECK(tied >= 295);
}

TEST_CASE("failures are injected at the asked rate") {
  Fixture fixture;
  const auto bench = fixture.open({{"fail_rate", "0.25"}}).value();
  int crashed = 0;
  for (std::uint64_t ticket = 0; ticket < 4000; ++ticket) {
    crashed += fixture.evaluate(*bench, 1, ticket).kind == OutcomeKind::crashed ? 1 : 0;
  }
  CHECK(crashed == doctest::Approx(1000).epsilon(0.1));
}

TEST_CASE("latency is real, slow evaluations slower, and a cancelled one returns") {
  using Clock = std::chrono::steady_clock;
  Fixture fixture;
  std::atomic<bool> cancel{false};
  BenchOptions options;
  options.parameters = {{"latency_ms", "3"}, {"slow_rate", "1"}, {"slow_ms", "600000"}};
  options.cancel = &cancel;
  const auto slow = fixture.backend->open(fixture.task, options).value();
  options.parameters["slow_rate"] = "0";
  const auto fast = fixture.backend->open(fixture.task, options).value();
  const auto start = Clock::now();
  CHECK(fixture.evaluate(*fast, 1, 0).measured());
  CHECK(Clock::now() - start >= std::chrono::milliseconds(3));
  cancel = true;
  (void)fixture.evaluate(*slow, 1, 0);  // or this test times out
}

TEST_CASE("parameters are checked") {
  Fixture fixture;
  const std::map<std::string, std::string> bad[] = {{{"noise", "much"}},  {{"noise", "-1"}},
                                                    {{"noise", "nan"}},   {{"fail_rate", "2"}},
                                                    {{"latency_ms", ""}}, {{"nois", "1"}}};
  for (const auto& parameters : bad) {
    const auto bench = fixture.open(parameters);
    REQUIRE_FALSE(bench);
    CHECK(bench.error().message.find(parameters.begin()->first) != std::string::npos);
    CHECK_FALSE(bench.error().expected.empty());
  }
  CHECK_FALSE(fixture.open({}, 1, -1));
  CHECK_FALSE(fixture.open({}, 1, 1000000));
  for (const auto& [name, text] : fixture.backend->parameters()) CHECK_FALSE(text.empty());
  CHECK(fixture.backend->parameters().contains("slow_rate"));
}

TEST_CASE("another table of the same space is welcome, of another space is not") {
  Fixture fixture;
  const auto other = fixture.dir.write("u.csv", "A,status,median_ms\n1,measured,1\n3,measured,3\n");
  const auto bench = fixture.open({{"table", other.string()}});
  REQUIRE(bench);
  CHECK(fixture.evaluate(**bench, 1, 0).fitness == 1);  // baseline 2 ms
  CHECK_FALSE((*bench)->compiler().compile(fixture.candidate(2)));
  const auto foreign = fixture.dir.write("v.csv", "B,status,median_ms\n1,measured,1\n");
  CHECK_FALSE(fixture.open({{"table", foreign.string()}}));
  CHECK_FALSE(fixture.open({{"table", "/nowhere.csv"}}));
}

TEST_CASE("a task without a table cannot be replayed") {
  Fixture fixture;
  auto task = std::make_shared<Task>();
  task->name = "empty";
  CHECK_FALSE(fixture.backend->open(task, {}));
  task->recorded_table = "x.csv";
  CHECK(fixture.backend->open(task, {}).error().code == ErrorCode::internal);
}

TEST_CASE("the backend describes itself") {
  const auto backend = make_recorded_backend();
  CHECK(backend->name() == "recorded");
  CHECK(backend->languages() == std::vector<Language>{Language::recorded});
  CHECK_FALSE(backend->unavailable());
  CHECK(backend->diagnose().size() == 1);
}
