// A run directory from the program's side: creating it with its own copy of the task, and opening
// it again with everything a resumed search needs. docs/formats/run-directory.md.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"
#include "kernel/task.h"
#include "tools/session.h"

namespace kernatlas {

// Creates RUN with run.db and RUN/task, a copy of the task's folder: a run can be resumed, shown
// and exported without the original. `imports` are what it begins with (engine/search/
// from_atlas.h), `options` the bench's. Leaves nothing behind when it fails.
[[nodiscard]] Result<std::unique_ptr<RunDatabase>> create_run(
    const std::filesystem::path& run_dir, const RunInfo& info, const Task& task,
    const std::vector<Candidate>& imports = {}, const std::vector<Tunable>& options = {});

// The task of a run, from its copy; an error when the copy is not what the run was started with.
[[nodiscard]] Result<std::shared_ptr<const Task>> load_run_task(
    const std::filesystem::path& run_dir, const RunInfo& info, const BenchSettings& settings);

[[nodiscard]] std::string tunables_to_json(const std::vector<Tunable>& tunables);
[[nodiscard]] Result<std::vector<Tunable>> tunables_from_json(const std::string& json);

}  // namespace kernatlas
