#include "tests/cheats/cheat_bench.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "backends/cpu/cpu_backend.h"

namespace kernatlas::testing {

namespace {

std::shared_ptr<const Task> cheat_task(const std::string& name) {
  auto task = load_task(source_dir() / "tests" / "cheats" / "tasks" / name);
  const std::string problem = task ? std::string() : task.error().text();
  REQUIRE_MESSAGE(task, problem);
  return *task;
}

// Shared by all programs and runs: objects go by their content, and are inspected each time.
std::filesystem::path compiled_objects() {
  return bin_dir().parent_path() / "tests" / "compiled-cheats";
}

}  // namespace

CheatBench& CheatBench::of(const std::string& task, int threads) {
  static std::map<std::pair<std::string, int>, std::unique_ptr<CheatBench>> benches;
  auto& bench = benches[{task, threads}];
  if (!bench) {
    // Timed as briefly as the evaluator ever does: never fewer than its minimum of samples.
    bench = std::make_unique<CheatBench>(task, threads,
                                         std::map<std::string, std::string>{{"time_s", "0.02"}});
  }
  return *bench;
}

CheatBench::CheatBench(const std::string& task, int threads,
                       std::map<std::string, std::string> parameters)
    : task_(cheat_task(task)) {
  BenchOptions options;
  options.cache_dir = compiled_objects();
  options.threads = threads;
  options.parameters = std::move(parameters);
  options.parameters.emplace("inspect", "0");
  auto bench = make_cpu_backend()->open(task_, options);
  const std::string problem = bench ? std::string() : bench.error().text();
  REQUIRE_MESSAGE(bench, problem);
  bench_ = std::move(*bench);
  auto inspector =
      CpuCompiler::create(task_, {.cache_dir = compiled_objects(), .cpus = {}, .inspect = true});
  const std::string missing = inspector ? std::string() : inspector.error().text();
  REQUIRE_MESSAGE(inspector, missing);
  inspector_ = std::move(*inspector);
}

Candidate CheatBench::candidate(const std::string& file) {
  auto source = KernelSource::load(source_dir() / "tests" / "cheats" / "kernels" / (file + ".cpp"));
  const std::string problem = source ? std::string() : source.error().text();
  REQUIRE_MESSAGE(source, problem);
  Candidate candidate;
  candidate.source = *source;
  for (const Tunable& tunable : (*source)->tunables()) {
    candidate.assignment.push_back(tunable.values.front());
  }
  return candidate;
}

CheatBench::Program CheatBench::compile(const std::string& file) {
  Program program{.candidate = candidate(file), .code = nullptr};
  auto code = bench_->compiler().compile(program.candidate);
  const std::string problem = code ? std::string() : text_of(code.error());
  REQUIRE_MESSAGE(code, problem);
  program.code = *code;
  return program;
}

Outcome CheatBench::run(const Program& program) {
  return evaluator().evaluate(program.candidate, *program.code, 1, std::nullopt);
}

Outcome CheatBench::run(const Candidate& candidate) {
  auto code = bench_->compiler().compile(candidate);
  if (!code) return code.error();
  return evaluator().evaluate(candidate, **code, 1, std::nullopt);
}

void CheatBench::expect_honest(const std::string& file) {
  if (std::find(found_honest_.begin(), found_honest_.end(), file) != found_honest_.end()) return;
  CAPTURE(file);
  const Candidate twin = candidate(file);
  const auto code = inspect(twin);
  const std::string problem = code ? std::string() : text_of(code.error());
  REQUIRE_MESSAGE(code, problem);
  const Outcome outcome = evaluator().evaluate(twin, **code, 1, std::nullopt);
  CHECK_MESSAGE(outcome.measured(), text_of(outcome));
  if (outcome.measured()) found_honest_.push_back(file);
}

void prove(const Cheat& cheat) {
  CAPTURE(cheat.file);
  CheatBench& bench = CheatBench::of(cheat.task);
  const Candidate candidate = CheatBench::candidate(cheat.file);
  const auto inspected = bench.inspect(candidate);
  if (cheat.inspection.empty()) {
    const std::string problem = inspected ? std::string() : text_of(inspected.error());
    CHECK_MESSAGE(inspected, problem);
  } else {
    CHECK_FALSE(inspected);
    if (!inspected) {
      CAPTURE(text_of(inspected.error()));
      CHECK(inspected.error().kind == OutcomeKind::rejected);
      CHECK(inspected.error().stage == Stage::inspect);
      CHECK(mentions(inspected.error(), cheat.inspection));
    }
  }
  const Outcome outcome = bench.run(candidate);
  CAPTURE(text_of(outcome));
  const bool foreseen =
      std::find(cheat.running.begin(), cheat.running.end(), outcome.kind) != cheat.running.end();
  CHECK(foreseen);
  CHECK(mentions(outcome, cheat.says));
  CheatBench::of(cheat.honest_task.empty() ? cheat.task : cheat.honest_task)
      .expect_honest(cheat.honest.empty() ? cheat.file + "_honest" : cheat.honest);
}

bool mentions(const Outcome& outcome, const std::string& text) {
  return (outcome.message + "\n" + outcome.detail).find(text) != std::string::npos;
}

std::string text_of(const Outcome& outcome) {
  return std::string(name(outcome.kind)) + " at " + std::string(name(outcome.stage)) + ": " +
         outcome.message + "\n" + outcome.detail;
}

}  // namespace kernatlas::testing
