// kernatlas resume: goes on with a run, finished, interrupted or killed.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "engine/search/policy.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/run_directory.h"
#include "tools/session.h"
#include "tools/signals.h"

namespace kernatlas {

namespace {

struct ResumeFlags {
  std::string run;
  std::string budget;
  bool json = false;
  bool quiet = false;
  bool no_examination = false;
};

Result<SearchOptions> search_options(const RunInfo& info, const std::string& budget_text) {
  SearchOptions search;
  search.seed = info.seed;
  search.ordered = info.ordered;
  search.window = info.window;
  search.archive_depth = info.archive_depth;
  if (info.target_speedup > 0) search.target_speedup = info.target_speedup;
  if (info.stagnation > 0) search.stagnation = info.stagnation;
  auto policy = find_policy(info.policy);
  if (!policy) return fail(policy.error());
  search.policy = *std::move(policy);
  auto budget = Budget::parse(budget_text);
  if (!budget) return fail(budget.error());
  search.budget = *std::move(budget);
  return search;
}

// Times of another machine, compiler or setting would meet the stored ones in one archive.
Result<void> check_contract(const RunInfo& info, Bench& bench) {
  const std::string contract = bench.evaluators().front()->info().contract_text();
  const std::string options = tunables_to_json(bench.options());
  if (contract == info.contract && options == info.options_json) return {};
  return fail(
      {.message = "this machine measures something else than the run did: " + contract,
       .expected = info.contract,
       .hint =
           "resume on the machine and with the compilers the run began with, or start a new run"});
}

int go_on(const ResumeFlags& flags) {
  catch_interrupts();
  auto database = RunDatabase::open(flags.run);
  if (!database) return report(database.error());
  const RunInfo info = (*database)->reader().info();
  const auto settings = BenchSettings::from_json(info.parameters_json);
  if (!settings) return report(settings.error());
  auto search = search_options(info, flags.budget.empty() ? info.budget : flags.budget);
  if (!search) return report(search.error());
  const auto task = load_run_task(flags.run, info, *settings);
  if (!task) return report(task.error());
  const BackendRegistry backends = default_backends();
  auto bench = open_bench(backends, *task, *settings, info.seed, !flags.json && !flags.quiet);
  if (!bench) return report(bench.error());
  if (auto same = check_contract(info, **bench); !same) return report(same.error());
  if (!flags.budget.empty()) {
    if (auto set = (*database)->set_budget(search->budget.text()); !set) return report(set.error());
  }
  SessionOptions session;
  session.search = *std::move(search);
  session.output = flags.json    ? OutputStyle::json
                   : flags.quiet ? OutputStyle::quiet
                                 : OutputStyle::text;
  session.examine = !flags.no_examination;
  return run_session(flags.run, *task, **bench, **database, std::move(session));
}

}  // namespace

void add_resume_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ResumeFlags>();
  CLI::App* command = app.add_subcommand(
      "resume", "Go on with a run: interrupted, killed, or with a larger budget");
  command->add_option("run", flags->run, "Run directory")->required();
  command->add_option("-b,--budget", flags->budget,
                      "New limits, counted from the run's beginning (default: as before)");
  command->add_flag("--no-examination", flags->no_examination,
                    "Do not measure the elites again at the end");
  command->add_flag("--json", flags->json, "Progress and result as JSON lines");
  command->add_flag("-q,--quiet", flags->quiet, "Print nothing");
  command->callback([flags, &exit_code] { exit_code = go_on(*flags); });
}

}  // namespace kernatlas
