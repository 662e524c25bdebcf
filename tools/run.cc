// kernatlas run: starts a search on a task.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iterator>
#include <memory>

#include "engine/search/axes.h"
#include "engine/search/from_atlas.h"
#include "engine/search/policy.h"
#include "tools/atlas_input.h"
#include "tools/bench_flags.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/paths.h"
#include "tools/report.h"
#include "tools/run_directory.h"
#include "tools/session.h"
#include "tools/signals.h"
#include "tools/version.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

struct RunFlags {
  std::string task;
  std::string out;
  std::vector<std::string> from;  // run directories and atlas files
  std::string budget = "10m";
  std::string policy = "map-elites";
  std::uint64_t seed = 1;
  bool ordered = false;
  std::uint32_t window = 0;
  std::size_t depth = 3;
  std::optional<double> target;
  std::optional<std::uint64_t> stagnation;
  bool json = false;
  bool quiet = false;
  bool no_examination = false;
  BenchFlags bench;
};

Result<RunInfo> describe_run(const RunFlags& flags, const SearchOptions& search, const Task& task,
                             Bench& bench, const BenchSettings& settings) {
  auto axes = make_axes(task.axes.empty() ? bench.default_axes() : task.axes);
  if (!axes) return fail(axes.error());
  RunInfo info;
  info.task = task.name;
  info.task_hash = task.hash.hex();
  info.backend = settings.backend;
  info.parameters_json = settings.to_json();
  info.policy = search.policy.name;
  info.seed = flags.seed;
  info.ordered = flags.ordered;
  info.window = search.window;
  info.budget = search.budget.text();
  info.contract = bench.evaluators().front()->info().contract_text();
  info.axes_json = axes_to_json(*axes);
  info.options_json = tunables_to_json(bench.options());
  info.baselines_json = baselines_to_json(bench.baselines());
  info.archive_depth = static_cast<std::uint32_t>(search.archive_depth);
  info.target_speedup = search.target_speedup.value_or(0);
  info.stagnation = search.stagnation.value_or(0);
  info.program_version = kVersion;
  info.created_unix = std::chrono::duration_cast<std::chrono::seconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  return info;
}

// What the run is to begin with. An archive of another task has nothing for this one.
Result<std::vector<Candidate>> old_elites(const RunFlags& flags, const Task& task, Bench& bench) {
  std::vector<Candidate> candidates;
  for (const std::string& from : flags.from) {
    const auto atlas = open_atlas(from);
    if (!atlas) return fail(atlas.error());
    Imports imports = imports_of(*atlas, task, bench.options());
    if (imports.candidates.empty() && imports.skipped > 0) {
      return fail({.message = fmt::format("nothing in {} is a candidate for {}: {}", from,
                                          task.name, imports.reason)});
    }
    if (!flags.json && !flags.quiet) {
      fmt::print(stderr, "{}: {} elites to measure here first{}\n", from, imports.candidates.size(),
                 imports.skipped == 0
                     ? ""
                     : fmt::format(", {} left out: {}", imports.skipped, imports.reason));
    }
    std::move(imports.candidates.begin(), imports.candidates.end(), std::back_inserter(candidates));
  }
  return candidates;
}

int start(const RunFlags& flags) {
  catch_interrupts();
  SearchOptions search;
  search.seed = flags.seed;
  search.ordered = flags.ordered;
  search.archive_depth = flags.depth;
  search.target_speedup = flags.target;
  search.stagnation = flags.stagnation;
  auto budget = Budget::parse(flags.budget);
  if (!budget) return report(budget.error());
  search.budget = *budget;
  auto policy = find_policy(flags.policy);
  if (!policy) return report(policy.error());
  search.policy = *policy;
  const auto settings = flags.bench.settings();
  if (!settings) return report(settings.error());

  const auto task = find_task(flags.task, *settings);
  if (!task) return report(task.error());
  const BackendRegistry backends = default_backends();
  const bool verbose = !flags.json && !flags.quiet;
  auto bench = open_bench(backends, *task, *settings, flags.seed, verbose);
  if (!bench) return report(bench.error());
  search.window = flags.window > 0 ? flags.window : default_window(**bench);

  const auto info = describe_run(flags, search, **task, **bench, *settings);
  if (!info) return report(info.error());
  const auto imports = old_elites(flags, **task, **bench);
  if (!imports) return report(imports.error());
  const fs::path run_dir = flags.out.empty() ? fresh_run_dir((*task)->name) : fs::path(flags.out);
  auto database = create_run(run_dir, *info, **task, *imports, (*bench)->options());
  if (!database) return report(database.error());
  SessionOptions session;
  session.search = std::move(search);
  session.output = flags.json    ? OutputStyle::json
                   : flags.quiet ? OutputStyle::quiet
                                 : OutputStyle::text;
  session.examine = !flags.no_examination;
  return run_session(run_dir, *task, **bench, **database, std::move(session));
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* command = app.add_subcommand("run", "Search for fast kernels of a task");
  command->add_option("task", flags->task, "Task folder, shipped task's name, or recorded table")
      ->required();
  command->add_option("-o,--out", flags->out, "Run directory to create (default: TASK.krun)");
  command
      ->add_option("-b,--budget", flags->budget,
                   "Limits, comma-separated: 200e evaluations, 5m (s, m, h), 3.50usd")
      ->capture_default_str();
  command->add_option(
      "--from", flags->from,
      "Begin with the elites of these runs or atlas files, verified and timed here");
  command->add_option("--seed", flags->seed, "Seed of every random choice")->capture_default_str();
  command->add_option("--policy", flags->policy, "How parents and operators are chosen")
      ->capture_default_str();
  command->add_option("--target", flags->target, "Stop at this speed-up over the baseline");
  command->add_option("--stagnation", flags->stagnation,
                      "Stop after so many evaluations without a gain");
  command->add_option("--window", flags->window, "Proposals in flight (0: by cores and devices)");
  command->add_option("--depth", flags->depth, "Elites kept per cell")->capture_default_str();
  command->add_flag(
      "--ordered", flags->ordered,
      "Each proposal sees a fixed earlier state: repeatable on a deterministic backend");
  command->add_flag("--no-examination", flags->no_examination,
                    "Do not measure the elites again at the end");
  command->add_flag("--json", flags->json, "Progress and result as JSON lines");
  command->add_flag("-q,--quiet", flags->quiet, "Print nothing");
  flags->bench.add_to(*command);
  command->callback([flags, &exit_code] { exit_code = start(*flags); });
}

}  // namespace kernatlas
