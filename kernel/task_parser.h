// The reader of task.toml's tables, shared by task_toml.cc, task_tensors.cc and task_extras.cc; not
// for other users, who have parse_task (kernel/task_toml.h).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel/identifiers.h"
#include "kernel/task_toml.h"
#include "kernel/toml_reader.h"

namespace kernatlas {

// Keys of the file itself: found in another table, they get a hint.
inline const std::vector<std::string> kTaskKeys = {"summary",  "tags",    "dims", "workload",
                                                   "input",    "output",  "axis", "reference",
                                                   "baseline", "recorded"};
inline constexpr std::size_t kMaxTaskTables = 64;  // of inputs, outputs, baselines, fills

// Fills `draft`; the first complaint is reader.error(), and what follows it is of no use.
struct TaskParser {
  TomlReader reader;
  TaskDraft draft{};
  NameTable names{};  // of dims and tensors

  Task& task() { return draft.task; }
  [[nodiscard]] bool failed() const { return reader.error().has_value(); }

  void parse(const TomlValue& root);
  void parse_recorded(const TomlFields& top);
  // One line of text: the summary.
  std::string label(const TomlFields& fields, const char* key);
  // A path that stays inside the task's folder.
  TaskFile file(const TomlFields& fields, const char* key);
  // Checks a dim's or a tensor's name and that nothing else has it.
  void claim(int line, const std::string& name, const std::string& what);
  void limit(const TomlFields& top, const char* key, std::size_t count, std::size_t most);
  void parse_dims(const TomlFields& top);
  void parse_workloads(const TomlFields& top);
  // A name of one line, added to `used`.
  std::string unique_label(const TomlFields& fields, const char* key, std::set<std::string>& used);
  WorkloadRole role(const TomlFields& fields);
  void parse_workload_dims(const TomlFields& fields, Workload& workload);
  void parse_reference(const TomlFields& top);

  // task_tensors.cc: [[input]] and [[output]].
  void parse_tensors(const TomlFields& top, const std::string& key, std::vector<Tensor>& out);
  DType type(const TomlFields& fields);
  std::optional<Expression> expression(const TomlFields& fields, const char* key,
                                       const std::string& text);
  // Must be positive for every workload, hidden ones included.
  void check_positive(const TomlFields& fields, const char* key, const Expression& expression);
  void check_fill_of(const TomlFields& fields, const Tensor& tensor, const Fill& fill);
  void parse_shape(const TomlFields& fields, Tensor& tensor);
  void parse_input(const TomlFields& fields, Tensor& tensor);
  void parse_output(const TomlFields& fields, Tensor& tensor);

  // task_extras.cc: [[baseline]] and [[axis]].
  void parse_baselines(const TomlFields& top);
  static std::vector<std::string> libraries(const TomlFields& fields);
  static std::vector<std::string> include_dirs(const TomlFields& fields);
  void parse_axes(const TomlFields& top);
  void parse_labels(const TomlFields& fields, AxisRequest& axis);
  void parse_edges(const TomlFields& fields, AxisRequest& axis);
};

}  // namespace kernatlas
