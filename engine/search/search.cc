#include "engine/search/search.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "engine/search/axes.h"
#include "engine/search/elites.h"
#include "engine/search/from_atlas.h"
#include "engine/search/pipeline.h"
#include "engine/search/search_loop.h"
#include "engine/search/settler.h"

namespace kernatlas {

namespace {

constexpr std::uint32_t kWindowLimit = 4096;

std::uint32_t window_of(const SearchOptions& options, Bench& bench) {
  return options.window != 0 ? options.window : default_window(bench);
}

// An axis over a tunable that a seed lacks would fail in the middle of the run.
Result<void> check_tune_axes(const Task& task, const std::vector<archives::Axis>& axes) {
  for (const archives::Axis& axis : axes) {
    if (!axis.name().starts_with("tune.")) continue;
    for (const KernelSourcePtr& seed : task.seeds) {
      const Candidate first{
          .source = seed, .assignment = Assignment(seed->tunables().size(), 0), .options = {}};
      const auto measures = measures_of({axis}, {}, first);
      if (!measures) return fail(measures.error());
    }
  }
  return {};
}

Result<void> check_window(const SearchOptions& options, std::uint32_t window,
                          const RunReader& reader) {
  if (window > kWindowLimit) {
    return fail({.message = fmt::format("{} proposals in flight", window),
                 .expected = fmt::format("1 to {}", kWindowLimit)});
  }
  const std::uint32_t before = reader.info().window;
  if (!options.ordered || before == 0 || reader.evaluations() == 0 || before == window) return {};
  return fail(
      {.message = fmt::format("an ordered run was started with {} proposals in flight, not {}",
                              before, window),
       .hint = "go on with the window it was started with"});
}

// A run that was started from archives has an operator more than its policy says.
Result<std::uint64_t> add_imports(const Task& task, Bench& bench, OperatorRegistry& operators,
                                  const RunDatabase& database, Policy& policy) {
  auto imports = load_imports(database, bench.options());
  if (!imports) return fail(imports.error());
  if (imports->empty()) return 0;
  const std::uint64_t foreign = foreign_candidates(*imports, task);
  operators.add(make_import(std::move(*imports)));
  policy.operators.emplace_back(kImportOperator, 0);
  return foreign;
}

Result<std::unique_ptr<SearchLoop>> make_loop(std::shared_ptr<const Task> task, Bench& bench,
                                              OperatorRegistry& operators, RunDatabase& database,
                                              SearchOptions options) {
  auto axes = axes_from_json(database.reader().info().axes_json);
  if (!axes) return fail(axes.error());
  if (auto fine = check_tune_axes(*task, *axes); !fine) return fail(fine.error());
  const auto foreign = add_imports(*task, bench, operators, database, options.policy);
  if (!foreign) return fail(foreign.error());
  if (auto fine = Proposer::check(operators, options.policy); !fine) return fail(fine.error());
  const std::uint32_t window = window_of(options, bench);
  if (auto fine = check_window(options, window, database.reader()); !fine) {
    return fail(fine.error());
  }
  try {
    auto loop = std::make_unique<SearchLoop>(std::move(task), bench, operators, database, options,
                                             window, std::move(*axes));
    loop->expect_foreign(*foreign);
    return loop;
  } catch (const std::invalid_argument& problem) {
    return fail({.message = fmt::format("the archive cannot be made: {}", problem.what())});
  }
}

}  // namespace

std::uint32_t default_window(Bench& bench) {
  return static_cast<std::uint32_t>(std::max(1, bench.compiler().concurrency())) +
         static_cast<std::uint32_t>(bench.evaluators().size()) + 1;
}

struct Search::State {
  Result<std::unique_ptr<SearchLoop>> loop;
  bool ran = false;
};

Search::Search(std::shared_ptr<const Task> task, Bench& bench, OperatorRegistry& operators,
               RunDatabase& database, SearchOptions options)
    : state_(std::make_unique<State>(
          State{make_loop(std::move(task), bench, operators, database, options)})) {}

Search::~Search() = default;

Result<SearchEnd> Search::run(SearchObserver* observer) {
  if (!state_->loop) return fail(state_->loop.error());
  KERNATLAS_CHECK(!state_->ran);
  state_->ran = true;
  SearchLoop& loop = **state_->loop;
  loop.observe(observer);
  if (auto resumed = loop.resume(); !resumed) return fail(resumed.error());
  run_pipeline(loop);
  return loop.end();
}

const archives::Archive& Search::archive() const {
  KERNATLAS_CHECK(state_->loop.has_value());
  return (*state_->loop)->archive();
}

namespace {

// Only what the archive needs: the compile options' names are not known here.
Result<KeptEntry> kept_entry_without_options(SettledRow row,
                                             const std::vector<archives::Axis>& axes) {
  row.options.clear();
  return kept_entry(row, axes, {});
}

}  // namespace

Result<std::unique_ptr<archives::Archive>> rebuild_archive(const RunReader& reader) {
  const RunInfo info = reader.info();
  auto axes = axes_from_json(info.axes_json);
  if (!axes) return fail(axes.error());
  std::vector<KeptEntry> kept;
  std::optional<Error> error;
  reader.kept_rows([&](const SettledRow& row) {
    auto entry = kept_entry_without_options(row, *axes);
    if (!entry) {
      error = entry.error();
      return false;
    }
    kept.push_back(std::move(*entry));
    return true;
  });
  if (error) return fail(*error);
  sort_by_settlement(kept);
  try {
    auto archive = make_run_archive(std::move(*axes), info.archive_depth);
    for (const KeptEntry& each : kept) archive->add(each.entry, each.evidence);
    if (auto healthy = reader.health(); !healthy) return fail(healthy.error());
    return archive;
  } catch (const std::invalid_argument& problem) {
    return fail({.message = fmt::format("the archive cannot be made: {}", problem.what())});
  }
}

}  // namespace kernatlas
