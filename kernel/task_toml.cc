#include "kernel/task_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "kernel/task_parser.h"
#include "kernel/text_file.h"

namespace kernatlas {

namespace {

constexpr std::int64_t kLargestDim = std::int64_t{1} << 53;
constexpr std::size_t kMaxDims = 32;
constexpr std::size_t kMaxWorkloads = 256;

// Names and other text of one line that tables, logs and file names carry.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

}  // namespace

void TaskParser::parse(const TomlValue& root) {
  const TomlFields top(reader, root, "the task", kTaskKeys);
  if (top.has("tags")) task().tags = top.strings("tags");
  if (top.has("recorded")) {
    parse_recorded(top);
  } else {
    task().summary = label(top, "summary");
    parse_dims(top);
    parse_workloads(top);
    parse_tensors(top, "input", task().inputs);
    parse_tensors(top, "output", task().outputs);
    if (task().outputs.empty()) reader.complain(root.line, "the task has no [[output]]");
    parse_reference(top);
    parse_baselines(top);
  }
  parse_axes(top);
}

// A table measured elsewhere stands for everything a task has.
void TaskParser::parse_recorded(const TomlFields& top) {
  for (const char* key : {"dims", "workload", "input", "output", "reference", "baseline"}) {
    if (!top.has(key)) continue;
    top.complain(key, fmt::format("a recorded task has no \"{}\"", key),
                 "summary, tags, recorded and [[axis]] only");
  }
  if (top.has("summary")) task().summary = label(top, "summary");
  draft.recorded = file(top, "recorded");
  task().recorded_table = draft.recorded->path;
}

std::string TaskParser::label(const TomlFields& fields, const char* key) {
  std::string text = fields.string(key);
  if (!failed() && (text.empty() || text.size() > 500 || text.find('\n') != std::string::npos)) {
    fields.complain(key, fmt::format("\"{}\" is empty or long", key),
                    "one line of at most 500 characters");
  }
  return text;
}

TaskFile TaskParser::file(const TomlFields& fields, const char* key) {
  TaskFile out{fields.string(key), fields.line(key)};
  if (failed()) return out;
  const std::filesystem::path path(out.path);
  const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
  if (!path.has_filename() || path.is_absolute() || climbs ||
      out.path.find('\0') != std::string::npos) {
    fields.complain(key, fmt::format("the file \"{}\" is not inside the task's folder", out.path),
                    "a path relative to the folder, without \"..\"");
  }
  return out;
}

void TaskParser::claim(int line, const std::string& name, const std::string& what) {
  if (const std::string problem = name_problem(name); !problem.empty()) {
    reader.complain(line, fmt::format("the name \"{}\" of {} {}", name, what, problem),
                    "letters, digits and underscores, not starting with a digit");
  }
  if (const auto taken = names.add(name, what)) {
    reader.complain(line,
                    fmt::format("the name \"{}\" of {} is already that of {}", name, what, *taken),
                    "names that differ");
  }
}

void TaskParser::limit(const TomlFields& top, const char* key, std::size_t count,
                       std::size_t most) {
  if (count > most) {
    top.complain(key, fmt::format("there are {} entries of \"{}\"", count, key),
                 fmt::format("at most {}", most));
  }
}

void TaskParser::parse_dims(const TomlFields& top) {
  if (!top.has("dims")) return;
  task().dims = top.strings("dims");
  limit(top, "dims", task().dims.size(), kMaxDims);
  for (const std::string& dim : task().dims) claim(top.line("dims"), dim, "a dim");
}

void TaskParser::parse_workloads(const TomlFields& top) {
  const auto tables = top.tables("workload");
  limit(top, "workload", tables.size(), kMaxWorkloads);
  std::set<std::string> used;
  for (const TomlValue* table : tables) {
    const TomlFields fields(reader, *table, "[[workload]]", {"name", "role", "dims"}, kTaskKeys);
    Workload workload;
    workload.name = unique_label(fields, "name", used);
    if (fields.has("role")) workload.role = role(fields);
    parse_workload_dims(fields, workload);
    task().workloads.push_back(std::move(workload));
    if (failed()) return;
  }
  if (task().workloads_with(WorkloadRole::search).empty()) {
    reader.complain(tables.empty() ? top.line() : tables.front()->line,
                    "the task has no search workload",
                    "at least one [[workload]] whose role is \"search\" (the default)",
                    "holdout workloads are never timed for fitness");
  }
}

std::string TaskParser::unique_label(const TomlFields& fields, const char* key,
                                     std::set<std::string>& used) {
  std::string text = fields.string(key);
  if (failed()) return text;
  if (!is_label(text)) {
    fields.complain(key, fmt::format("\"{}\" is not a name", key),
                    "1 to 100 characters on one line");
  } else if (!used.insert(text).second) {
    fields.complain(key, fmt::format("the {} \"{}\" occurs twice", key, text), "names that differ");
  }
  return text;
}

WorkloadRole TaskParser::role(const TomlFields& fields) {
  const std::string text = fields.string("role");
  if (!failed() && text != "search" && text != "holdout") {
    fields.complain("role", fmt::format("the role \"{}\" is unknown", text),
                    "\"search\" or \"holdout\"");
  }
  return text == "holdout" ? WorkloadRole::holdout : WorkloadRole::search;
}

void TaskParser::parse_workload_dims(const TomlFields& fields, Workload& workload) {
  if (task().dims.empty() && !fields.has("dims")) return;
  const TomlValue* table = fields.table("dims");
  if (table == nullptr) return;
  const TomlFields values(reader, *table, fmt::format("the dims of {}", workload.name),
                          task().dims);
  for (const std::string& dim : task().dims) {
    const TomlValue* value = values.value(dim);
    if (value == nullptr) return;
    if (value->kind != TomlValue::Kind::integer || value->integer < 1 ||
        value->integer > kLargestDim) {
      values.complain(dim, fmt::format("the dim {} of {} is no size", dim, workload.name),
                      "an integer from 1 to 2^53");
    }
    workload.dims.push_back(value->integer);
  }
}

void TaskParser::parse_reference(const TomlFields& top) {
  if (failed()) return;
  if (!top.has("reference")) {
    reader.complain(top.line(), "the task has no [reference]",
                    "[reference] with source = \"reference.cpp\"",
                    "the float64 code that says what is right; see docs/formats/task.md");
    return;
  }
  const TomlValue* table = top.table("reference");
  if (table == nullptr) return;
  const TomlFields fields(reader, *table, "[reference]", {"source"}, kTaskKeys);
  draft.reference = file(fields, "source");
}

Result<TaskDraft> parse_task(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTaskBytes) {
    return fail({.message = fmt::format("the task file has {} bytes", text.size()),
                 .file = file,
                 .expected = fmt::format("at most {}", kMaxTaskBytes)});
  }
  if (const auto line = first_bad_line(text)) {
    return fail({.message = "the task file is not text",
                 .file = file,
                 .line = *line,
                 .expected = "UTF-8 without NUL characters"});
  }
  const auto root = parse_toml(text, file);
  if (!root) return fail(root.error());
  TaskParser parser{TomlReader(file)};
  parser.parse(*root);
  if (parser.reader.error()) return fail(*parser.reader.error());
  return std::move(parser.draft);
}

}  // namespace kernatlas
