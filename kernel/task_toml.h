// The text of a task.toml, read and checked without touching a disk: all of a task but its sources.
// load_task (kernel/task.h) adds those.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

// A file that a task names: relative to its folder, without "..", and the line that names it.
struct TaskFile {
  std::string path;
  int line = 0;
};

struct TaskDraft {
  Task task;  // without sources, name, folder and hash; recorded_table as written
  std::optional<TaskFile> reference;
  std::vector<TaskFile> baselines;  // parallel to task.baselines
  std::optional<TaskFile> recorded;
  std::vector<int> axis_lines;  // parallel to task.axes
};

// `file` is used for error messages only. Text of at most kMaxTaskBytes.
inline constexpr std::size_t kMaxTaskBytes = 1u << 20;
[[nodiscard]] Result<TaskDraft> parse_task(std::string_view text, const std::string& file);

}  // namespace kernatlas
