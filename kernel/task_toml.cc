#include "kernel/task_toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "kernel/identifiers.h"
#include "kernel/suggest.h"
#include "kernel/text_file.h"
#include "kernel/toml_reader.h"

namespace kernatlas {

namespace {

constexpr std::int64_t kLargestDim = std::int64_t{1} << 53;
constexpr std::size_t kMaxDims = 32;
constexpr std::size_t kMaxWorkloads = 256;
constexpr std::size_t kMaxTensors = 64;
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxAxes = 8;

const std::vector<std::string> kTopKeys = {"summary", "tags", "dims",      "workload", "input",
                                           "output",  "axis", "reference", "baseline", "recorded"};
const std::vector<std::string> kTypes = {"f64", "f32", "f16", "bf16", "f8_e4m3", "f8_e5m2",
                                         "i8",  "u8",  "i32", "i64",  "bool"};

// What random data of a type looks like when the task does not say.
std::string default_fill(DType type) {
  if (is_float(type)) return "normal";
  if (type == DType::boolean) return "integers(0, 1)";
  return type == DType::u8 ? "integers(0, 100)" : "integers(-100, 100)";
}

// Names and other text of one line that tables, logs and file names carry.
bool is_label(std::string_view text) {
  return !text.empty() && text.size() <= 100 && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

struct TaskParser {
  TomlReader reader;
  TaskDraft draft{};
  NameTable names{};

  Task& task() { return draft.task; }
  [[nodiscard]] bool failed() const { return reader.error().has_value(); }

  void parse(const TomlValue& root) {
    const TomlFields top(reader, root, "the task", kTopKeys);
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
  void parse_recorded(const TomlFields& top) {
    for (const char* key : {"dims", "workload", "input", "output", "reference", "baseline"}) {
      if (!top.has(key)) continue;
      top.complain(key, fmt::format("a recorded task has no \"{}\"", key),
                   "summary, tags, recorded and [[axis]] only");
    }
    if (top.has("summary")) task().summary = label(top, "summary");
    draft.recorded = file(top, "recorded");
    task().recorded_table = draft.recorded->path;
  }

  std::string label(const TomlFields& fields, const char* key) {
    std::string text = fields.string(key);
    if (!failed() && (text.empty() || text.size() > 500 || text.find('\n') != std::string::npos)) {
      fields.complain(key, fmt::format("\"{}\" is empty or long", key),
                      "one line of at most 500 characters");
    }
    return text;
  }

  TaskFile file(const TomlFields& fields, const char* key) {
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

  void claim(int line, const std::string& name, const std::string& what) {
    if (const std::string problem = name_problem(name); !problem.empty()) {
      reader.complain(line, fmt::format("the name \"{}\" of {} {}", name, what, problem),
                      "letters, digits and underscores, not starting with a digit");
    }
    if (const auto taken = names.add(name, what)) {
      reader.complain(
          line, fmt::format("the name \"{}\" of {} is already that of {}", name, what, *taken),
          "names that differ");
    }
  }

  void limit(const TomlFields& top, const char* key, std::size_t count, std::size_t most) {
    if (count > most) {
      top.complain(key, fmt::format("there are {} entries of \"{}\"", count, key),
                   fmt::format("at most {}", most));
    }
  }

  void parse_dims(const TomlFields& top) {
    if (!top.has("dims")) return;
    task().dims = top.strings("dims");
    limit(top, "dims", task().dims.size(), kMaxDims);
    for (const std::string& dim : task().dims) claim(top.line("dims"), dim, "a dim");
  }

  void parse_workloads(const TomlFields& top) {
    const auto tables = top.tables("workload");
    limit(top, "workload", tables.size(), kMaxWorkloads);
    std::set<std::string> used;
    for (const TomlValue* table : tables) {
      const TomlFields fields(reader, *table, "[[workload]]", {"name", "role", "dims"}, kTopKeys);
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

  std::string unique_label(const TomlFields& fields, const char* key, std::set<std::string>& used) {
    std::string text = fields.string(key);
    if (failed()) return text;
    if (!is_label(text)) {
      fields.complain(key, fmt::format("\"{}\" is not a name", key),
                      "1 to 100 characters on one line");
    } else if (!used.insert(text).second) {
      fields.complain(key, fmt::format("the {} \"{}\" occurs twice", key, text),
                      "names that differ");
    }
    return text;
  }

  WorkloadRole role(const TomlFields& fields) {
    const std::string text = fields.string("role");
    if (!failed() && text != "search" && text != "holdout") {
      fields.complain("role", fmt::format("the role \"{}\" is unknown", text),
                      "\"search\" or \"holdout\"");
    }
    return text == "holdout" ? WorkloadRole::holdout : WorkloadRole::search;
  }

  void parse_workload_dims(const TomlFields& fields, Workload& workload) {
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

  void parse_tensors(const TomlFields& top, const std::string& key, std::vector<Tensor>& out) {
    const auto tables = top.tables(key);
    limit(top, key.c_str(), tables.size(), kMaxTensors);
    const bool input = key == "input";
    const std::vector<std::string> known =
        input ? std::vector<std::string>{"name", "type", "shape", "fill", "in_place"}
              : std::vector<std::string>{"name", "type", "shape", "reduction", "tolerance"};
    for (const TomlValue* table : tables) {
      const TomlFields fields(reader, *table, fmt::format("[[{}]]", key), known, kTopKeys);
      Tensor tensor;
      tensor.name = fields.string("name");
      if (!failed()) claim(fields.line("name"), tensor.name, input ? "an input" : "an output");
      tensor.type = type(fields);
      parse_shape(fields, tensor);
      if (failed()) return;
      input ? parse_input(fields, tensor) : parse_output(fields, tensor);
      out.push_back(std::move(tensor));
      if (failed()) return;
    }
  }

  DType type(const TomlFields& fields) {
    const std::string text = fields.string("type");
    if (failed()) return DType::f32;
    const auto type = parse_dtype(text);
    if (!type) {
      fields.complain("type", fmt::format("the type \"{}\" is unknown", text), one_of(kTypes),
                      suggest(text, kTypes));
    }
    return type.value_or(DType::f32);
  }

  std::optional<Expression> expression(const TomlFields& fields, const char* key,
                                       const std::string& text) {
    if (failed()) return std::nullopt;
    auto parsed = Expression::parse(text, task().dims);
    if (parsed) return std::move(*parsed);
    parsed.error().message = fmt::format("\"{}\" in {}: {}", text, key, parsed.error().message);
    reader.complain(fields.line(key), std::move(parsed.error()));
    return std::nullopt;
  }

  // An expression that must be positive for every workload, hidden ones included.
  void check_positive(const TomlFields& fields, const char* key, const Expression& expression) {
    for (const Workload& workload : task().workloads) {
      const auto value = expression.evaluate(workload.dims);
      if (value && *value >= 1) continue;
      fields.complain(
          key,
          fmt::format("\"{}\" in {}, for the workload {}: {}", expression.text(), key,
                      workload.name, value ? std::to_string(*value) : value.error().message),
          "a positive integer");
    }
  }

  void parse_shape(const TomlFields& fields, Tensor& tensor) {
    const auto texts = fields.expressions("shape");
    if (texts.size() > kMaxRank) {
      fields.complain("shape", fmt::format("the shape has {} sizes", texts.size()),
                      fmt::format("at most {}", kMaxRank));
    }
    for (const std::string& text : texts) {
      auto size = expression(fields, "shape", text);
      if (!size) return;
      tensor.shape.push_back(std::move(*size));
    }
    for (const Workload& workload : task().workloads) {
      const auto count = tensor.elements(workload.dims);
      if (count) continue;
      fields.complain("shape",
                      fmt::format("for the workload {}: {}", workload.name, count.error().message),
                      count.error().expected);
    }
  }

  void parse_input(const TomlFields& fields, Tensor& tensor) {
    if (fields.has("in_place")) tensor.in_place = fields.boolean("in_place");
    std::vector<std::string> texts{default_fill(tensor.type)};
    if (fields.has("fill")) {
      const bool list = fields.value("fill")->kind == TomlValue::Kind::array;
      texts = list ? fields.strings("fill") : std::vector<std::string>{fields.string("fill")};
      limit(fields, "fill", texts.size(), kMaxTensors);
      if (texts.empty()) fields.complain("fill", "the list of fills is empty", "at least one");
    }
    for (const std::string& text : texts) {
      if (failed()) return;
      auto fill = parse_fill(text, tensor.type);
      if (!fill) {
        reader.complain(fields.line("fill"), std::move(fill.error()));
        return;
      }
      if (!fill->bound.empty()) {
        const auto bound = expression(fields, "fill", fill->bound);
        if (bound) check_positive(fields, "fill", *bound);
      }
      tensor.fills.push_back(std::move(*fill));
    }
  }

  void parse_output(const TomlFields& fields, Tensor& tensor) {
    if (fields.has("reduction")) {
      tensor.reduction = expression(fields, "reduction", fields.expression("reduction"));
      if (tensor.reduction) check_positive(fields, "reduction", *tensor.reduction);
    }
    if (!fields.has("tolerance")) return;
    tensor.tolerance = fields.number("tolerance");
    if (!failed() && (!std::isfinite(*tensor.tolerance) || *tensor.tolerance < 0)) {
      fields.complain("tolerance", "the tolerance is negative or not finite",
                      "a relative error, such as 1e-5; 0 for exact");
    }
  }

  void parse_reference(const TomlFields& top) {
    if (failed()) return;
    if (!top.has("reference")) {
      reader.complain(top.line(), "the task has no [reference]",
                      "[reference] with source = \"reference.cpp\"",
                      "the float64 code that says what is right; see docs/formats/task.md");
      return;
    }
    const TomlValue* table = top.table("reference");
    if (table == nullptr) return;
    const TomlFields fields(reader, *table, "[reference]", {"source"}, kTopKeys);
    draft.reference = file(fields, "source");
  }

  void parse_baselines(const TomlFields& top) {
    const auto tables = top.tables("baseline");
    limit(top, "baseline", tables.size(), kMaxTensors);
    std::set<std::string> used;
    for (const TomlValue* table : tables) {
      const TomlFields fields(reader, *table, "[[baseline]]",
                              {"name", "backend", "source", "libraries", "include_dirs"}, kTopKeys);
      Baseline baseline;
      baseline.name = unique_label(fields, "name", used);
      baseline.backend = fields.string("backend");
      if (!failed() && !is_identifier(baseline.backend)) {
        fields.complain("backend", fmt::format("\"{}\" is no backend", baseline.backend),
                        "a name such as \"cpu\" or \"cuda\"");
      }
      draft.baselines.push_back(file(fields, "source"));
      if (fields.has("libraries")) baseline.libraries = libraries(fields);
      if (fields.has("include_dirs")) baseline.include_dirs = include_dirs(fields);
      task().baselines.push_back(std::move(baseline));
      if (failed()) return;
    }
  }

  // They become -lNAME of a compiler's command line: no options, no paths.
  static std::vector<std::string> libraries(const TomlFields& fields) {
    auto out = fields.strings("libraries");
    for (const std::string& library : out) {
      const bool good = !library.empty() && library.front() != '-' && library.size() <= 100 &&
                        std::all_of(library.begin(), library.end(), [](char c) {
                          return is_identifier(std::string_view(&c, 1)) || (c >= '0' && c <= '9') ||
                                 c == '-' || c == '+' || c == '.';
                        });
      if (good) continue;
      fields.complain("libraries", fmt::format("\"{}\" is no name of a library", library),
                      "what follows -l, such as \"openblas\"");
    }
    return out;
  }

  static std::vector<std::string> include_dirs(const TomlFields& fields) {
    auto out = fields.strings("include_dirs");
    for (const std::string& folder : out) {
      const std::filesystem::path path(folder);
      const bool climbs = std::find(path.begin(), path.end(), "..") != path.end();
      if (!folder.empty() && folder.front() != '-' && !climbs &&
          folder.find('\0') == std::string::npos) {
        continue;
      }
      fields.complain("include_dirs", fmt::format("\"{}\" is no folder to include from", folder),
                      "an absolute path, or one relative to the task's folder, without \"..\"");
    }
    return out;
  }

  void parse_axes(const TomlFields& top) {
    const auto tables = top.tables("axis");
    limit(top, "axis", tables.size(), kMaxAxes);
    std::set<std::string> used;
    for (const TomlValue* table : tables) {
      if (failed()) return;
      const TomlFields fields(reader, *table, "[[axis]]",
                              {"feature", "unit", "scale", "edges", "labels"}, kTopKeys);
      AxisRequest axis;
      axis.feature = unique_label(fields, "feature", used);
      if (fields.has("unit")) axis.unit = fields.string("unit");
      axis.scale = fields.string("scale");
      if (failed()) return;
      if (axis.scale == "categorical") {
        parse_labels(fields, axis);
      } else if (axis.scale == "linear" || axis.scale == "log2" || axis.scale == "quantile") {
        parse_edges(fields, axis);
      } else {
        fields.complain("scale", fmt::format("the scale \"{}\" is unknown", axis.scale),
                        "\"linear\", \"log2\", \"quantile\" or \"categorical\"");
      }
      task().axes.push_back(std::move(axis));
      draft.axis_lines.push_back(table->line);
    }
  }

  void parse_labels(const TomlFields& fields, AxisRequest& axis) {
    if (fields.has("edges")) {
      fields.complain("edges", "a categorical axis has no edges", "labels = [\"…\"]");
    }
    axis.labels = fields.strings("labels");
    if (failed()) return;
    const std::set<std::string> unique(axis.labels.begin(), axis.labels.end());
    if (unique.empty() || unique.size() != axis.labels.size() || axis.labels.size() > 1024 ||
        unique.contains("")) {
      fields.complain("labels", fmt::format("the labels of {} are no set", axis.feature),
                      "1 to 1024 different texts, none of them empty");
    }
  }

  void parse_edges(const TomlFields& fields, AxisRequest& axis) {
    if (fields.has("labels")) {
      fields.complain("labels", "only a categorical axis has labels", "edges = [0, 1, 2]");
    }
    axis.edges = fields.numbers("edges");
    if (failed()) return;
    const auto& edges = axis.edges;
    const bool finite =
        std::all_of(edges.begin(), edges.end(), [](double e) { return std::isfinite(e); });
    const bool ascending =
        std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) == edges.end();
    if (edges.size() < 2 || edges.size() > 1025 || !finite || !ascending) {
      fields.complain("edges", fmt::format("the edges of {} do not cut an axis", axis.feature),
                      "2 to 1025 numbers, each larger than the one before");
    } else if (axis.scale == "log2" && edges.front() <= 0) {
      fields.complain("edges", "a log2 axis has positive edges only", "a first edge above 0",
                      "use scale = \"linear\" with the same edges to include 0");
    }
  }
};

}  // namespace

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
