#include "tools/session.h"

#include <fmt/core.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "backends/recorded/recorded_task.h"
#include "engine/search/examination.h"
#include "tools/exit_code.h"
#include "tools/paths.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/signals.h"

namespace kernatlas {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string BenchSettings::to_json() const {
  return Json{{"backend", backend}, {"threads", threads}, {"devices", devices},
              {"warm", warm},       {"require", require}, {"parameters", parameters}}
      .dump();
}

Result<BenchSettings> BenchSettings::from_json(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    return fail({.message = "the run's settings are damaged", .expected = "a JSON object"});
  }
  try {
    BenchSettings settings;
    settings.backend = json.value("backend", settings.backend);
    settings.threads = json.value("threads", settings.threads);
    settings.devices = json.value("devices", settings.devices);
    settings.warm = json.value("warm", settings.warm);
    settings.require = json.value("require", settings.require);
    settings.parameters = json.value("parameters", settings.parameters);
    return settings;
  } catch (const Json::exception& error) {
    return fail({.message = fmt::format("the run's settings are damaged: {}", error.what())});
  }
}

std::vector<fs::path> task_folders() {
  std::vector<fs::path> folders{"tasks"};
  const fs::path program = program_dir();
  folders.push_back(program / "../../tasks");               // build/bin, in the source tree
  folders.push_back(program / "../share/kernatlas/tasks");  // installed
  return folders;
}

namespace {

bool is_table(const fs::path& path) {
  const std::string text = path.string();
  return text.ends_with(".csv") || text.ends_with(".csv.gz");
}

}  // namespace

Result<std::shared_ptr<const Task>> find_task(const std::string& what,
                                              const BenchSettings& settings) {
  std::error_code ignored;
  if (settings.backend == "recorded" && is_table(what)) return load_recorded_task(what);
  if (fs::is_directory(what, ignored)) return load_task(what);
  if (what.find('/') == std::string::npos) {
    for (const fs::path& folder : task_folders()) {
      if (fs::exists(folder / what / "task.toml", ignored)) return load_task(folder / what);
    }
  }
  if (is_table(what)) {
    return fail({.message = fmt::format("{} is a table of measurements", what),
                 .hint = "replay it with --backend recorded"});
  }
  return fail({.message = fmt::format("there is no task \"{}\"", what),
               .expected = "a folder with a task.toml, or the name of a shipped task",
               .hint = "kernatlas tasks list shows the shipped ones"});
}

Result<std::unique_ptr<Bench>> open_bench(const BackendRegistry& backends,
                                          std::shared_ptr<const Task> task,
                                          const BenchSettings& settings, std::uint64_t seed,
                                          bool verbose) {
  const Backend* backend = backends.find(settings.backend);
  if (backend == nullptr) {
    std::string known;
    for (const Backend* each : backends.all()) known += (known.empty() ? "" : ", ") + each->name();
    return fail({.message = fmt::format("there is no backend \"{}\"", settings.backend),
                 .expected = "one of " + known});
  }
  if (auto why = backend->unavailable()) return fail(*why);
  const auto known = backend->parameters();
  for (const auto& [name, value] : settings.parameters) {
    if (known.contains(name)) continue;
    std::string names;
    for (const auto& [each, text] : known) names += (names.empty() ? "" : ", ") + each;
    return fail(
        {.message = fmt::format("backend {} has no parameter \"{}\"", backend->name(), name),
         .expected = names.empty() ? "none" : "one of " + names});
  }
  BenchOptions options;
  options.cache_dir = cache_dir();
  options.seed = seed;
  options.threads = settings.threads;
  options.devices = settings.devices;
  options.warm = settings.warm;
  options.require = settings.require;
  options.parameters = settings.parameters;
  options.cancel = &stop_at_once();
  if (verbose) options.note = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  return backend->open(std::move(task), options);
}

namespace {

std::unique_ptr<SearchObserver> observer_for(OutputStyle output, const Budget& budget) {
  switch (output) {
    case OutputStyle::quiet:
      return nullptr;
    case OutputStyle::json:
      return make_progress(ProgressStyle::json, budget);
    case OutputStyle::text:
      break;
  }
  const bool terminal = isatty(STDERR_FILENO) != 0;
  return make_progress(terminal ? ProgressStyle::live : ProgressStyle::lines, budget);
}

void examine_at_the_end(const Search& search, Bench& bench, RunDatabase& database,
                        OutputStyle output) {
  ExaminationOptions options;
  options.interrupt = &interrupts();
  if (output == OutputStyle::text && !search.archive().occupied().empty()) {
    fmt::print(stderr, "examining the elites: measured again, checked on the holdout workloads\n");
  }
  const auto summary = examine_elites(search.archive(), bench, database, options);
  if (!summary) fmt::print(stderr, "kernatlas: examination: {}\n", summary.error().text());
}

void print_end(const fs::path& run_dir, const RunReader& reader, OutputStyle output) {
  if (output == OutputStyle::quiet) return;
  const auto report = make_report(reader);
  if (!report) {
    fmt::print(stderr, "kernatlas: {}\n", report.error().text());
    return;
  }
  if (output == OutputStyle::json) {
    Json json = report_json(*report);
    json["event"] = "finished";
    json["run"] = run_dir.string();
    fmt::print("{}\n", json.dump());
    return;
  }
  fmt::print("{}", summary_text(*report));
  fmt::print(
      "\nsee the archive: kernatlas show {0}\nbest kernel:     kernatlas export {0} best --out "
      "best\n",
      run_dir.string());
}

}  // namespace

int run_session(const fs::path& run_dir, std::shared_ptr<const Task> task, Bench& bench,
                RunDatabase& database, SessionOptions options) {
  OperatorRegistry operators = default_operators();
  options.search.interrupt = &interrupts();
  const Budget budget = options.search.budget;
  Search search(std::move(task), bench, operators, database, std::move(options.search));
  Result<SearchEnd> end = [&] {
    const auto observer = observer_for(options.output, budget);
    return search.run(observer.get());
  }();
  if (!end) return report(end.error());

  const bool interrupted = end->reason == "interrupted";
  if (options.examine && !interrupted) {
    examine_at_the_end(search, bench, database, options.output);
  }
  if (auto closed = database.set_finish(end->reason); !closed) return report(closed.error());
  print_end(run_dir, database.reader(), options.output);
  if (interrupted) {
    if (options.output == OutputStyle::text) {
      fmt::print(stderr,
                 "interrupted; everything settled is saved. Go on with: kernatlas resume {}\n",
                 run_dir.string());
    }
    return kExitInterrupted;
  }
  return search.archive().occupied().empty() ? kExitNothingCorrect : kExitDone;
}

}  // namespace kernatlas
