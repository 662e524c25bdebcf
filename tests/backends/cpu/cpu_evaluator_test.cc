#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "backends/cpu/cpu_machine.h"
#include "tests/backends/cpu/scale_task.h"
#include "tests/support/skip.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// One bench for all cases: opening it compiles and measures.
ScaleBench& bench() {
  static ScaleBench shared;
  return shared;
}

bool mentions(const Outcome& outcome, const std::string& text) {
  return (outcome.message + outcome.detail).find(text) != std::string::npos;
}

// The honest kernel with a statement at its end.
std::string spoiled(const std::string& statement) {
  std::string body = kHonestBody;
  return scale_kernel(body.replace(body.rfind('}'), 1, statement + "\n}"));
}

}  // namespace

TEST_CASE("an honest kernel is measured, with everything a doubter would ask for") {
  const Outcome outcome = bench().evaluate(scale_kernel(kHonestBody));
  CAPTURE(outcome.message);
  CAPTURE(outcome.detail);
  REQUIRE(outcome.kind == OutcomeKind::measured);
  CHECK(outcome.stage == Stage::done);
  REQUIRE(outcome.times.size() == 2);
  for (const WorkloadTime& time : outcome.times) {
    CHECK(time.samples >= 20);
    CHECK(time.median_ns > 0);
    CHECK(time.baseline_ns > 0);
    CHECK(time.median_interval_ns.low <= time.median_ns);
    CHECK(time.median_interval_ns.high >= time.median_ns);
  }
  CHECK(std::isfinite(outcome.fitness));
  CHECK(outcome.fitness_interval.low <= outcome.fitness);
  CHECK(outcome.fitness_interval.high >= outcome.fitness);
  CHECK(outcome.accuracy.input_sets >= 4 * 5);
  CHECK(outcome.accuracy.norm_error <= outcome.accuracy.norm_limit);
  CHECK(outcome.accuracy.norm_limit > 0);
  CHECK(outcome.costs.verify_s > 0);
  CHECK(outcome.costs.time_s > 0);
  CHECK(outcome.binary == bench().compile(scale_kernel(kHonestBody)).code->binary);
  CHECK(outcome.device.find("threads=1 cache=cold") != std::string::npos);
}

TEST_CASE("baselines are measured when the bench is opened") {
  REQUIRE(bench().bench().baselines().size() == 1);
  const BaselineTime& plain = bench().bench().baselines().front();
  CHECK(plain.name == "plain loops");
  CHECK(plain.unavailable.empty());
  REQUIRE(plain.median_ns.size() == 4);
  for (const double ns : plain.median_ns) CHECK(ns > 0);
}

TEST_CASE("wrong results") {
  SUBCASE("nothing is written") {
    const Outcome outcome = bench().evaluate(
        scale_kernel("extern \"C\" void scale(const float*, float*, float*, Block) {}"));
    CHECK(outcome.kind == OutcomeKind::wrong_result);
    CHECK(outcome.stage == Stage::verify);
    CHECK(mentions(outcome, "nothing was written"));
  }
  SUBCASE("a wrong factor") {
    std::string body = kHonestBody;
    body.replace(body.find("2 * value"), 9, "3 * value");
    const Outcome outcome = bench().evaluate(scale_kernel(body));
    CHECK(outcome.kind == OutcomeKind::wrong_result);
    CHECK(mentions(outcome, "constant factor"));
  }
  SUBCASE("NaN") {
    CHECK(bench().evaluate(spoiled("sum[at.x] = std::numeric_limits<float>::quiet_NaN();")).kind ==
          OutcomeKind::wrong_result);
  }
  SUBCASE("a rounded sum") {
    const Outcome outcome = bench().evaluate(spoiled("sum[at.x] = total * 1.001f;"));
    CHECK(outcome.kind == OutcomeKind::wrong_result);
    CHECK(mentions(outcome, "'sum'"));
  }
}

TEST_CASE("only wrong on hidden workloads: caught, and nothing is told about their size") {
  const Outcome outcome =
      bench().evaluate(spoiled("if (COLS == 1771 && at.x == 36) y[at.x * COLS + 1770] = 0;"));
  CHECK(outcome.kind == OutcomeKind::wrong_result);
  CHECK(mentions(outcome, "a hidden workload"));
  for (const char* secret : {"1771", "1770", "[36", "at [", "elements", "secret"}) {
    CHECK_FALSE(mentions(outcome, secret));
  }
}

TEST_CASE("writing outside and changing inputs") {
  const Outcome after = bench().evaluate(spoiled("if (at.x + 1 == ROWS) sum[ROWS] = 1;"));
  CHECK(after.kind == OutcomeKind::wrong_result);
  CHECK(mentions(after, "wrote outside its output 'sum' (after the end)"));
  const Outcome before = bench().evaluate(spoiled("if (at.x == 0) y[-1] = 1;"));
  CHECK(before.kind == OutcomeKind::wrong_result);
  CHECK(mentions(before, "(before the beginning)"));
  const Outcome input =
      bench().evaluate(spoiled("const_cast<float*>(x)[at.x * COLS + COLS / 2] = 0;"));
  CHECK(input.kind == OutcomeKind::rejected);
  CHECK(mentions(input, "changed its input 'x'"));
}

TEST_CASE("results that depend on what lay in memory") {
  const Outcome outcome = bench().evaluate(scale_kernel(R"(
extern "C" void scale(const float* x, float* y, float* sum, Block at) {
  float total = 0;
  for (std::int64_t i = 0; i < COLS; ++i) {
    y[at.x * COLS + i] = 2 * x[at.x * COLS + i];
    total += x[at.x * COLS + i];
  }
  sum[at.x] += total;
}
)"));
  CHECK(outcome.kind == OutcomeKind::nondeterministic);
}

TEST_CASE("a kernel that counts its calls and then stops working") {
  // Inspection refuses the static variable; without it the launches that are timed give it away.
  ScaleBench uninspected(64, {{"inspect", "0"}});
  const Outcome outcome = uninspected.evaluate(scale_kernel(R"(
static std::int64_t calls = 0;
extern "C" void scale(const float* x, float* y, float* sum, Block at) {
  if (++calls > 20 * ROWS) return;
  float total = 0;
  for (std::int64_t i = 0; i < COLS; ++i) {
    y[at.x * COLS + i] = 2 * x[at.x * COLS + i];
    total += x[at.x * COLS + i];
  }
  sum[at.x] = total;
}
)"));
  CHECK(outcome.kind == OutcomeKind::wrong_result);
  CHECK(outcome.stage == Stage::time);
}

TEST_CASE("crashes, hangs, and life afterwards") {
  const Outcome crash = bench().evaluate(spoiled("if (at.x == 3) *(volatile int*)8 = 1;"));
  CHECK(crash.kind == OutcomeKind::crashed);
  CHECK(crash.stage == Stage::run);
  const Outcome hang = bench().evaluate(spoiled("volatile int go = 1; while (go) {}"));
  CHECK(hang.kind == OutcomeKind::timed_out);
  CHECK(bench().evaluate(scale_kernel(kHonestBody)).kind == OutcomeKind::measured);
}

TEST_CASE("racing cuts what is clearly slower than the incumbent") {
  const std::string slow = spoiled(
      "for (int repeat = 0; repeat < 8; ++repeat) { float t = 0; for (std::int64_t i = 0; i < "
      "COLS; "
      "++i) t += x[at.x * COLS + i] * repeat; asm volatile(\"\" : : \"x\"(t)); }");
  const auto compiled = bench().compile(slow);
  const Outcome outcome =
      bench().evaluator().evaluate(compiled.candidate, *compiled.code, 1, Incumbent{.fitness = 1});
  CAPTURE(outcome.message);
  REQUIRE(outcome.kind == OutcomeKind::measured);
  CHECK(outcome.was_cut());
  CHECK(outcome.fitness < 0.5);
  CHECK(std::count(outcome.flags.begin(), outcome.flags.end(), "cut") == 1);
  CHECK(outcome.times.size() == 2);
}

TEST_CASE("comparison") {
  const auto honest = bench().compile(scale_kernel(kHonestBody));
  const auto slow = bench().compile(
      spoiled("for (int repeat = 0; repeat < 8; ++repeat) { float t = 0; for (std::int64_t i = 0; "
              "i < COLS; "
              "++i) t += x[at.x * COLS + i] * repeat; asm volatile(\"\" : : \"x\"(t)); }"));
  const Comparison faster =
      bench().evaluator().compare(honest.candidate, *honest.code, slow.candidate, *slow.code, 1);
  CAPTURE(faster.message);
  CHECK(faster.finding == Comparison::Finding::faster);
  CHECK(faster.pairs >= 10);
  CHECK(faster.wins >= 18);
  CHECK(faster.log2_gain > 0.3);
  const Comparison slower =
      bench().evaluator().compare(slow.candidate, *slow.code, honest.candidate, *honest.code, 1);
  CHECK(slower.finding == Comparison::Finding::slower);
  const auto wrong = bench().compile(
      scale_kernel("extern \"C\" void scale(const float*, float*, float*, Block) {}"));
  const Comparison failed =
      bench().evaluator().compare(wrong.candidate, *wrong.code, honest.candidate, *honest.code, 1);
  CHECK(failed.finding == Comparison::Finding::failed);
  CHECK(failed.message.find("challenger") != std::string::npos);
}

TEST_CASE("examine also times the holdout workloads") {
  const auto honest = bench().compile(scale_kernel(kHonestBody));
  const Outcome outcome = bench().evaluator().examine(honest.candidate, *honest.code, 1);
  CAPTURE(outcome.message);
  REQUIRE(outcome.kind == OutcomeKind::measured);
  CHECK(outcome.times.size() == 4);
}

TEST_CASE("workspaces are poisoned, zeroed ones are zero") {
  const std::string text = R"(/*kernatlas
[workspace]
scratch = "4 * ROWS"
[[launch]]
kernel = "first"
grid = ["ROWS"]
args = ["x", "scratch"]
[[launch]]
kernel = "second"
grid = ["ROWS"]
args = ["x", "y", "sum", "scratch"]
*/
extern "C" void first(const float* x, float* scratch, Block at) {
  float total = 0;
  for (std::int64_t i = 0; i < COLS; ++i) total += x[at.x * COLS + i];
  scratch[at.x] @OP@ total;
}
extern "C" void second(const float* x, float* y, float* sum, const float* scratch, Block at) {
  for (std::int64_t i = 0; i < COLS; ++i) y[at.x * COLS + i] = 2 * x[at.x * COLS + i];
  sum[at.x] = scratch[at.x];
}
)";
  std::string written = text;
  written.replace(written.find("@OP@"), 4, "=");
  CHECK(bench().evaluate(written).kind == OutcomeKind::measured);
  std::string added = text;
  added.replace(added.find("@OP@"), 4, "+=");
  CHECK(bench().evaluate(added).kind == OutcomeKind::nondeterministic);
}

TEST_CASE("two threads and warm caches") {
  if (CpuMachine::probe().allowed_cpus.size() < 2) return skip("only one CPU may be used here");
  ScaleBench both(500, {{"cases", "2"}}, 2, true);
  const Outcome outcome = both.evaluate(scale_kernel(kHonestBody));
  CAPTURE(outcome.message);
  CHECK(outcome.kind == OutcomeKind::measured);
  CHECK(outcome.device.find("threads=2 cache=warm") != std::string::npos);
}

TEST_CASE("parameters and requests that cannot work are refused with a hint") {
  const TempDir dir;
  const auto task = scale_task(dir);
  const auto backend = make_cpu_backend();
  BenchOptions options;
  options.parameters = {{"speed", "11"}};
  auto opened = backend->open(task, options);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().expected.find("time_s") != std::string::npos);
  options.parameters = {{"time_s", "soon"}};
  opened = backend->open(task, options);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("soon") != std::string::npos);
  options.parameters.clear();
  options.threads = 4096;
  opened = backend->open(task, options);
  REQUIRE_FALSE(opened);
  CHECK(opened.error().message.find("4096") != std::string::npos);
}

TEST_CASE("diagnose names compilers, machine and sandbox layers") {
  const std::vector<Check> checks = make_cpu_backend()->diagnose();
  const auto has = [&](const std::string& name) {
    return std::any_of(checks.begin(), checks.end(),
                       [&](const Check& check) { return check.name == name; });
  };
  CHECK(has("CPU"));
  CHECK(has("caches"));
  CHECK(has("sandbox seccomp"));
  CHECK((has("g++") || has("clang++")));
}
