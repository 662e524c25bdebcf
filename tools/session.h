// What `run`, `resume`, `check` and `export` share: finding a task, opening its bench, and running
// a search on a run directory with progress, signals and a final examination.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "engine/search/search.h"
#include "kernel/result.h"

namespace kernatlas {

// Everything about a bench that a run remembers, so that `resume` opens the same one.
struct BenchSettings {
  std::string backend = "cpu";
  int threads = 1;
  int devices = 0;
  bool warm = false;
  std::vector<std::string> require;
  std::map<std::string, std::string> parameters;

  [[nodiscard]] std::string to_json() const;
  [[nodiscard]] static Result<BenchSettings> from_json(const std::string& json);
};

// A folder, a table (.csv, .csv.gz), or the name of a shipped task.
[[nodiscard]] Result<std::shared_ptr<const Task>> find_task(const std::string& what,
                                                            const BenchSettings& settings);

// Folders searched for a task's name, first to last: ./tasks, then beside the installed program.
[[nodiscard]] std::vector<std::filesystem::path> task_folders();

[[nodiscard]] Result<std::unique_ptr<Bench>> open_bench(const BackendRegistry& backends,
                                                        std::shared_ptr<const Task> task,
                                                        const BenchSettings& settings,
                                                        std::uint64_t seed, bool verbose);

enum class OutputStyle { text, json, quiet };

struct SessionOptions {
  SearchOptions search;
  OutputStyle output = OutputStyle::text;
  bool examine = true;  // re-time the elites and verify their holdouts at the end
};

// Runs the search to its end, examines the elites, prints the summary; returns the exit code.
[[nodiscard]] int run_session(const std::filesystem::path& run_dir,
                              std::shared_ptr<const Task> task, Bench& bench, RunDatabase& database,
                              SessionOptions options);

}  // namespace kernatlas
