// What most tests of the search share: a database in memory for a task, and a search on it.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <memory>

#include "engine/search/axes.h"
#include "engine/search/search.h"
#include "tests/support/archive_text.h"
#include "tests/support/fake_bench.h"
#include "tests/support/memory_database.h"

#if defined(__SANITIZE_THREAD__)
// oneTBB is not instrumented: how it publishes and frees its own objects is out of sight. Only
// these places of an access are excused; the steps that it calls are watched.
extern "C" [[gnu::used]] const char* __tsan_default_suppressions() {
  return "race_top:_pipeline_filters.h\nrace_top:engine/search/"
         "pipeline.cc\ncalled_from_lib:libtbb.so\n";
}
#endif

namespace kernatlas::testing {

[[nodiscard]] inline AxisRequest tune_axis(const std::string& name, std::vector<double> edges) {
  return {.feature = "tune." + name,
          .unit = "",
          .scale = "linear",
          .edges = std::move(edges),
          .labels = {}};
}

[[nodiscard]] inline RunInfo info_for(const Task& task, const SearchOptions& options) {
  RunInfo info;
  info.task = task.name;
  info.backend = "fake";
  info.ordered = options.ordered;
  info.window = options.window;
  info.axes_json = axes_to_json(make_axes(task.axes).value());
  info.archive_depth = static_cast<std::uint32_t>(options.archive_depth);
  return info;
}

class FunctionObserver final : public SearchObserver {
 public:
  using Function = std::function<void(const SettledRow&, const SearchStatus&)>;
  explicit FunctionObserver(Function function) : function_(std::move(function)) {}
  void settled(const SettledRow& row, const SearchStatus& status) override {
    function_(row, status);
  }

 private:
  Function function_;
};

[[nodiscard]] inline SearchOptions search_options(const std::string& policy,
                                                  const std::string& budget) {
  SearchOptions options;
  options.seed = 7;
  options.policy = find_policy(policy).value();
  options.budget = Budget::parse(budget).value();
  return options;
}

struct RunResult {
  Result<SearchEnd> end;
  std::string archive;
};

// One session of a run on `database`.
inline RunResult run_search(std::shared_ptr<const Task> task, Bench& bench, RunDatabase& database,
                            const SearchOptions& options, SearchObserver* observer = nullptr) {
  OperatorRegistry operators = default_operators();
  Search search(std::move(task), bench, operators, database, options);
  auto end = search.run(observer);
  std::string text = end ? archive_text(search.archive()) : "";
  return {std::move(end), std::move(text)};
}

}  // namespace kernatlas::testing
