#include "tests/backends/cpu/cpu_test_support.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "tests/support/temp_dir.h"

namespace kernatlas::testing {

namespace {

Tensor tensor(const Task& task, std::string name, const std::vector<std::string>& shape) {
  Tensor made;
  made.name = std::move(name);
  for (const std::string& dim : shape) made.shape.push_back(*Expression::parse(dim, task.dims));
  return made;
}

}  // namespace

std::shared_ptr<Task> small_task() {
  auto task = std::make_shared<Task>();
  task->name = "small";
  task->dims = {"ROWS", "COLS"};
  task->workloads = {{"main", WorkloadRole::search, {64, 1000}},
                     {"odd", WorkloadRole::holdout, {7, 333}}};
  task->inputs = {tensor(*task, "x", {"ROWS", "COLS"}), tensor(*task, "w", {"COLS"})};
  task->outputs = {tensor(*task, "y", {"ROWS", "COLS"})};
  return task;
}

KernelSourcePtr cpp_source(const std::string& text, const std::string& file) {
  auto source = KernelSource::parse(text, Language::cpp, file);
  const std::string problem = source ? std::string() : source.error().text();
  REQUIRE_MESSAGE(source, problem);
  return *source;
}

std::string with_launch(const std::string& body) {
  return "/*kernatlas\n[[launch]]\nkernel = \"k\"\ngrid = [\"ROWS\"]\nargs = [\"x\", \"w\", "
         "\"y\"]\n*/\n" +
         body;
}

KernelSourcePtr one_launch(const std::string& body) {
  return cpp_source(with_launch(body));
}

namespace {

// Both compilers share one cache folder, as processes do.
std::unique_ptr<CpuCompiler> make_compiler(std::shared_ptr<const Task> task) {
  static const TempDir cache;
  auto made = CpuCompiler::create(std::move(task), {.cache_dir = cache.path(), .cpus = {}});
  const std::string problem = made ? std::string() : made.error().text();
  REQUIRE_MESSAGE(made, problem);
  return std::move(*made);
}

}  // namespace

CpuCompiler& shared_compiler() {
  static const std::unique_ptr<CpuCompiler> compiler = make_compiler(small_task());
  return *compiler;
}

CpuCompiler& search_compiler() {
  static const std::unique_ptr<CpuCompiler> compiler = [] {
    auto task = small_task();
    task->workloads.pop_back();
    return make_compiler(task);
  }();
  return *compiler;
}

Candidate candidate_of(const KernelSourcePtr& source, CompileOptions options) {
  Candidate candidate;
  candidate.source = source;
  for (const Tunable& tunable : source->tunables()) {
    candidate.assignment.push_back(tunable.values.front());
  }
  candidate.options = std::move(options);
  return candidate;
}

CompileOptions options_of(const CpuCompiler& compiler, const std::string& text) {
  CompileOptions options(compiler.options().size(), 0);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    bool found = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
      const Tunable& option = compiler.options()[i];
      if (option.name != word.substr(0, equals)) continue;
      const auto at =
          std::find(option.labels.begin(), option.labels.end(), word.substr(equals + 1));
      if (at == option.labels.end()) return {};
      options[i] = at - option.labels.begin();
      found = true;
    }
    if (!found) return {};
  }
  return options;
}

bool has_compiler(const CpuCompiler& compiler, const std::string& label) {
  const auto& labels = compiler.options().front().labels;
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace kernatlas::testing
