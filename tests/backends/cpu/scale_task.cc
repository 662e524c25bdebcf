#include "tests/backends/cpu/scale_task.h"

#include <doctest/doctest.h>

namespace kernatlas::testing {

const char* const kHonestBody = R"(
extern "C" void scale(const float* x, float* y, float* sum, Block at) {
  float total = 0;
  for (std::int64_t i = 0; i < COLS; ++i) {
    const float value = x[at.x * COLS + i];
    y[at.x * COLS + i] = 2 * value;
    total += value;
  }
  sum[at.x] = total;
}
)";

namespace {

constexpr const char* kTaskText = R"(
summary = "y = 2x, and the sum of every row"
tags = ["test"]
dims = ["ROWS", "COLS"]
[[workload]]
name = "wide"
dims = { ROWS = @ROWS@, COLS = 1024 }
[[workload]]
name = "narrow"
dims = { ROWS = 500, COLS = 96 }
[[workload]]
name = "secret-odd"
role = "holdout"
dims = { ROWS = 37, COLS = 1771 }
[[workload]]
name = "secret-one"
role = "holdout"
dims = { ROWS = 1, COLS = 5 }
[[input]]
name = "x"
type = "f32"
shape = ["ROWS", "COLS"]
fill = ["normal", "wide", "spikes"]
[[output]]
name = "y"
type = "f32"
shape = ["ROWS", "COLS"]
[[output]]
name = "sum"
type = "f32"
shape = ["ROWS"]
reduction = "COLS"
[reference]
source = "reference.cpp"
[[baseline]]
name = "plain loops"
backend = "cpu"
source = "baselines/plain.cpp"
)";

constexpr const char* kReference = R"(
extern "C" void reference(const double* x, double* y, double* sum) {
  for (std::int64_t r = 0; r < ROWS; ++r) {
    sum[r] = 0;
    for (std::int64_t i = 0; i < COLS; ++i) {
      y[r * COLS + i] = 2 * x[r * COLS + i];
      sum[r] += x[r * COLS + i];
    }
  }
}
)";

}  // namespace

std::string scale_kernel(const std::string& body, const std::string& extra_front_matter) {
  return "/*kernatlas\n" + extra_front_matter +
         "\n[[launch]]\nkernel = \"scale\"\ngrid = [\"ROWS\"]\nargs = [\"x\", \"y\", "
         "\"sum\"]\n*/\n" +
         body;
}

std::shared_ptr<const Task> scale_task(const TempDir& dir, int rows) {
  std::string text = kTaskText;
  text.replace(text.find("@ROWS@"), 6, std::to_string(rows));
  dir.write("scale/task.toml", text);
  dir.write("scale/reference.cpp", kReference);
  dir.write("scale/baselines/plain.cpp", scale_kernel(kHonestBody));
  dir.write("scale/seeds/plain.cpp", scale_kernel(kHonestBody));
  auto task = load_task(dir.path() / "scale");
  const std::string problem = task ? std::string() : task.error().text();
  REQUIRE_MESSAGE(task, problem);
  return *task;
}

ScaleBench::ScaleBench(int rows, std::map<std::string, std::string> parameters, int threads,
                       bool warm)
    : task_(scale_task(dir_, rows)) {
  BenchOptions options;
  options.cache_dir = dir_.path() / "cache";
  options.parameters = std::move(parameters);
  options.threads = threads;
  options.warm = warm;
  auto bench = make_cpu_backend()->open(task_, options);
  const std::string problem = bench ? std::string() : bench.error().text();
  REQUIRE_MESSAGE(bench, problem);
  bench_ = std::move(*bench);
}

ScaleBench::Compiled ScaleBench::compile(const std::string& text) {
  auto source = KernelSource::parse(text, Language::cpp, "kernel.cpp");
  const std::string bad_source = source ? std::string() : source.error().text();
  REQUIRE_MESSAGE(source, bad_source);
  Compiled result;
  result.candidate.source = *source;
  for (const Tunable& tunable : (*source)->tunables()) {
    result.candidate.assignment.push_back(tunable.values.front());
  }
  auto code = bench_->compiler().compile(result.candidate);
  const std::string problem = code ? std::string() : code.error().message + code.error().detail;
  REQUIRE_MESSAGE(code, problem);
  result.code = *code;
  return result;
}

Outcome ScaleBench::evaluate(const std::string& text) {
  const Compiled compiled = compile(text);
  return evaluator().evaluate(compiled.candidate, *compiled.code, 1, std::nullopt);
}

}  // namespace kernatlas::testing
