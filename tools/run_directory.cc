#include "tools/run_directory.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "backends/recorded/recorded_task.h"
#include "engine/search/from_atlas.h"

namespace kernatlas {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

// A recorded table can be a task of one file, in a folder that holds anything: its copy is that
// file. The copy gets its name when it is whole: a run killed before that has no RUN/task and no
// evaluation.
Result<void> copy_task(const Task& task, const fs::path& to) {
  std::error_code error;
  const fs::path partial = to.string() + ".partial";
  fs::create_directories(partial, error);
  if (!error) {
    if (fs::exists(task.folder / "task.toml")) {
      fs::copy(task.folder, partial, fs::copy_options::recursive, error);
    } else {
      fs::copy_file(task.recorded_table, partial / task.recorded_table.filename(), error);
    }
  }
  if (!error) fs::rename(partial, to, error);
  if (!error) return {};
  return fail({.code = ErrorCode::io,
               .message = fmt::format("the task cannot be copied: {}", error.message()),
               .file = to.string()});
}

}  // namespace

// The copy of the task comes last: a run without one has never begun, and cannot be resumed without
// what it was to begin with.
Result<std::unique_ptr<RunDatabase>> create_run(const fs::path& run_dir, const RunInfo& info,
                                                const Task& task,
                                                const std::vector<Candidate>& imports,
                                                const std::vector<Tunable>& options) {
  auto database = RunDatabase::create(run_dir, info);
  if (!database) return database;
  Result<void> done;
  if (!imports.empty()) done = store_imports(**database, imports, options);
  if (done) done = copy_task(task, run_dir / "task");
  if (!done) {
    database->reset();
    std::error_code ignored;
    fs::remove_all(run_dir, ignored);
    return fail(done.error());
  }
  return database;
}

Result<std::shared_ptr<const Task>> load_run_task(const fs::path& run_dir, const RunInfo& info,
                                                  const BenchSettings& settings) {
  const fs::path copy = run_dir / "task";
  std::error_code ignored;
  Result<std::shared_ptr<const Task>> task =
      fail({.message = "the run has lost its copy of the task",
            .file = copy.string(),
            .hint = "put the task's folder back there"});
  if (fs::exists(copy / "task.toml", ignored)) {
    task = load_task(copy);
  } else if (settings.backend == "recorded" && fs::is_directory(copy, ignored)) {
    for (const auto& file : fs::directory_iterator(copy)) task = load_recorded_task(file.path());
  }
  if (!task) return task;
  if ((*task)->hash.hex() != info.task_hash) {
    return fail(
        {.message = "the run's copy of the task has been changed since the run began",
         .file = copy.string(),
         .expected = "hash " + info.task_hash,
         .hint = "restore it, or start a new run: times of different tasks cannot be mixed"});
  }
  // The copy's folder is called "task": the name is the original's.
  auto named = std::make_shared<Task>(**task);
  named->name = info.task;
  return std::shared_ptr<const Task>(std::move(named));
}

std::string tunables_to_json(const std::vector<Tunable>& tunables) {
  Json list = Json::array();
  for (const Tunable& each : tunables) {
    list.push_back({{"name", each.name}, {"values", each.values}, {"labels", each.labels}});
  }
  return list.dump();
}

Result<std::vector<Tunable>> tunables_from_json(const std::string& text) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return fail({.message = "the run's compile options are damaged"});
  try {
    std::vector<Tunable> tunables;
    for (const Json& each : list) {
      tunables.push_back({each.at("name"), each.at("values"), each.at("labels")});
    }
    return tunables;
  } catch (const Json::exception& error) {
    return fail(
        {.message = fmt::format("the run's compile options are damaged: {}", error.what())});
  }
}

}  // namespace kernatlas
