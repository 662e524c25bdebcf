#include "kernel/kernel_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "kernel/front_matter.h"
#include "kernel/identifiers.h"
#include "kernel/text_file.h"
#include "kernel/toml_reader.h"

namespace kernatlas {

namespace {

using Kind = TomlValue::Kind;

constexpr std::int64_t kLargestInteger = std::int64_t{1} << 53;

// Languages whose launches have blocks of threads and on-chip memory.
bool has_blocks(Language language) {
  return language == Language::cuda || language == Language::ptx || language == Language::opencl ||
         language == Language::spirv;
}

void check_name(TomlReader& reader, int line, std::string_view what, std::string_view name) {
  if (const std::string problem = name_problem(name); !problem.empty()) {
    reader.complain(line, fmt::format("the {} name \"{}\" {}", what, name, problem),
                    "letters, digits and underscores, not starting with a digit",
                    "capitals, as in BLOCK, keep clear of the names in the kernel");
  }
}

void check_unique(TomlReader& reader, NameTable& names, int line, const std::string& name,
                  const std::string& what) {
  if (const auto taken = names.add(name, what)) {
    reader.complain(line,
                    fmt::format("the name \"{}\" of {} is already that of {}", name, what, *taken),
                    "names that differ");
  }
}

void check_count(TomlReader& reader, int line, std::string_view what, std::size_t count,
                 std::size_t limit) {
  if (count > limit) {
    reader.complain(line, fmt::format("there are {} {}", count, what),
                    fmt::format("at most {}", limit));
  }
}

// Syntax only: which names exist is known once the source meets its task.
void check_syntax(TomlReader& reader, int line, const std::string& text) {
  auto parsed = Expression::parse(text, identifiers_in(text));
  if (!parsed) reader.complain(line, std::move(parsed.error()));
}

}  // namespace

struct KernelSourceParser {
  KernelSource& source;
  TomlReader& reader;
  NameTable names{};

  void parse(const TomlValue& root) {
    const TomlFields top(reader, root, "the front matter",
                         {"tune", "constraint", "workspace", "launch"});
    if (top.has("tune")) parse_tunables(top.table("tune"));
    if (top.has("constraint")) parse_constraints(top.table("constraint"));
    if (top.has("workspace")) parse_workspaces(top.table("workspace"));
    const auto launches = top.tables("launch");
    check_count(reader, top.line("launch"), "launches", launches.size(),
                KernelSource::kMaxLaunches);
    for (const TomlValue* launch : launches) {
      if (reader.error()) return;
      parse_launch(*launch);
    }
  }

  void parse_tunables(const TomlValue* table) {
    if (table == nullptr) return;
    check_count(reader, table->line, "tunables", table->entries.size(), KernelSource::kMaxTunables);
    for (const auto& [name, value] : table->entries) {
      if (reader.error()) return;
      check_name(reader, value.line, "tunable", name);
      source.tunables_.push_back({.name = name, .values = {}, .labels = {}, .line = value.line});
      parse_values(value, source.tunables_.back());
    }
    for (const Tunable& tunable : source.tunables_) {
      check_unique(reader, names, tunable.line, tunable.name, "the tunable");
    }
    for (const Tunable& tunable : source.tunables_) {
      for (const std::string& name : tunable.label_names()) {
        check_unique(reader, names, tunable.line, name, fmt::format("a label of {}", tunable.name));
      }
    }
  }

  void parse_values(const TomlValue& value, Tunable& tunable) {
    const std::string expected = "an array of integers, or of labels in quotes: [1, 2, 4]";
    if (value.kind != Kind::array || value.items.empty()) {
      reader.complain(value.line,
                      fmt::format("the values of {} are {}", tunable.name,
                                  value.kind == Kind::array ? "empty" : value.kind_name()),
                      expected);
      return;
    }
    check_count(reader, value.line, fmt::format("values of {}", tunable.name), value.items.size(),
                KernelSource::kMaxValues);
    const Kind kind = value.items.front().kind;
    std::set<std::pair<std::int64_t, std::string_view>> seen;
    for (const TomlValue& item : value.items) {
      if (item.kind != kind || (kind != Kind::integer && kind != Kind::string)) {
        reader.complain(item.line,
                        fmt::format("the values of {} contain {}", tunable.name, item.kind_name()),
                        expected);
      } else if (!seen.emplace(item.integer, item.string).second) {
        reader.complain(
            item.line,
            fmt::format("the values of {} contain {} twice", tunable.name,
                        kind == Kind::string ? item.string : std::to_string(item.integer)),
            "every value once");
      } else {
        add_value(item, tunable);
      }
      if (reader.error()) return;
    }
  }

  void add_value(const TomlValue& item, Tunable& tunable) {
    if (item.kind == Kind::string) {
      if (!is_identifier(item.string)) {
        reader.complain(
            item.line,
            fmt::format("the label \"{}\" of {} is not an identifier", item.string, tunable.name),
            "letters, digits and underscores, not starting with a digit");
      }
      tunable.values.push_back(static_cast<std::int64_t>(tunable.labels.size()));
      tunable.labels.push_back(item.string);
      return;
    }
    if (item.integer > kLargestInteger || item.integer < -kLargestInteger) {
      reader.complain(item.line,
                      fmt::format("the value {} of {} is too large", item.integer, tunable.name),
                      "a value between -2^53 and 2^53");
    }
    tunable.values.push_back(item.integer);
  }

  void parse_constraints(const TomlValue* table) {
    if (table == nullptr) return;
    check_count(reader, table->line, "constraints", table->entries.size(),
                KernelSource::kMaxConstraints);
    const TomlFields fields(reader, *table, "[constraint]", keys(*table));
    for (const auto& [name, value] : table->entries) {
      if (reader.error()) return;
      check_name(reader, value.line, "constraint", name);
      source.constraints_.push_back({name, fields.expression(name), value.line});
      check_syntax(reader, value.line, source.constraints_.back().text);
    }
  }

  void parse_workspaces(const TomlValue* table) {
    if (table == nullptr) return;
    check_count(reader, table->line, "workspaces", table->entries.size(),
                KernelSource::kMaxWorkspaces);
    const TomlFields fields(reader, *table, "[workspace]", keys(*table));
    for (const auto& [name, value] : table->entries) {
      if (reader.error()) return;
      check_name(reader, value.line, "workspace", name);
      check_unique(reader, names, value.line, name, "the workspace");
      Workspace workspace{.name = name, .bytes = {}, .zeroed = false, .line = value.line};
      if (value.kind == Kind::table) {
        const TomlFields inner(reader, value, fmt::format("the workspace {}", name),
                               {"bytes", "zeroed"});
        workspace.bytes = inner.expression("bytes");
        if (inner.has("zeroed")) workspace.zeroed = inner.boolean("zeroed");
      } else {
        workspace.bytes = fields.expression(name);
      }
      check_syntax(reader, value.line, workspace.bytes);
      source.workspaces_.push_back(std::move(workspace));
    }
  }

  void parse_launch(const TomlValue& table) {
    const TomlFields fields(reader, table, "[[launch]]",
                            {"kernel", "grid", "block", "shared", "args"});
    LaunchSpec launch;
    launch.line = table.line;
    launch.kernel = fields.string("kernel");
    if (!reader.error() && (!is_identifier(launch.kernel) || launch.kernel.size() > 256)) {
      fields.complain("kernel", fmt::format("\"{}\" is not the name of a function", launch.kernel),
                      "an identifier");
    }
    for (const std::string& taken : names.names()) {
      if (taken != launch.kernel) continue;
      fields.complain(
          "kernel",
          fmt::format("the kernel {} has the name of a tunable, label or workspace", taken),
          "names that differ", "tunables are macros: they would replace the name");
    }
    if (fields.has("grid")) launch.grid = sizes(fields, "grid");
    parse_block(fields, launch);
    launch.args = fields.expressions("args");
    check_count(reader, fields.line("args"), "arguments", launch.args.size(),
                KernelSource::kMaxArguments);
    for (const std::string& text : launch.args) check_syntax(reader, fields.line("args"), text);
    source.launches_.push_back(std::move(launch));
  }

  void parse_block(const TomlFields& fields, LaunchSpec& launch) {
    const bool blocks = has_blocks(source.language_);
    if (!blocks && source.language_ != Language::recorded) {
      for (const char* key : {"block", "shared"}) {
        if (!fields.has(key)) continue;
        fields.complain(
            key, fmt::format("\"{}\" has no meaning in a {} source", key, name(source.language_)),
            "kernel, grid and args only",
            source.language_ == Language::cpp
                ? "the engine calls the kernel once for every point of the grid; make "
                  "a tile size a tunable and loop over the tile in the kernel"
                : "the language chooses its own threads and on-chip memory");
      }
      return;
    }
    if (fields.has("block") || blocks) launch.block = sizes(fields, "block");
    if (fields.has("shared")) {
      launch.shared = fields.expression("shared");
      check_syntax(reader, fields.line("shared"), launch.shared);
    }
  }

  // A grid or block: one to three expressions.
  std::vector<std::string> sizes(const TomlFields& fields, const char* key) {
    std::vector<std::string> out = fields.expressions(key);
    if (!reader.error() && (out.empty() || out.size() > 3)) {
      fields.complain(key, fmt::format("\"{}\" has {} sizes", key, out.size()),
                      "one to three, x first");
    }
    for (const std::string& text : out) check_syntax(reader, fields.line(key), text);
    return out;
  }

  static std::vector<std::string> keys(const TomlValue& table) {
    std::vector<std::string> out;
    for (const auto& [name, value] : table.entries) out.push_back(name);
    return out;
  }

  static std::shared_ptr<KernelSource> create(std::string text, Language language,
                                              std::string file) {
    const std::shared_ptr<KernelSource> source(new KernelSource());
    source->hash_ = combine(hash128(name(language)), hash128(text));
    source->text_ = std::move(text);
    source->language_ = language;
    source->file_ = std::move(file);
    return source;
  }
  static void set_body_line(KernelSource& source, int line) { source.body_line_ = line; }
};

Result<std::shared_ptr<const KernelSource>> KernelSource::parse(std::string text, Language language,
                                                                std::string file) {
  if (text.size() > kMaxBytes) {
    return fail({.message = fmt::format("the source has {} bytes", text.size()),
                 .file = file,
                 .expected = fmt::format("at most {}", kMaxBytes)});
  }
  if (language != Language::spirv) {
    if (const auto line = first_bad_line(text)) {
      return fail({.message = "the source is not text",
                   .file = file,
                   .line = *line,
                   .expected = "UTF-8 without NUL characters"});
    }
  }
  auto front = find_front_matter(text, language, file);
  if (!front) return fail(std::move(front.error()));
  auto source = KernelSourceParser::create(std::move(text), language, file);
  KernelSourceParser::set_body_line(*source, front->body_line);
  if (!front->present) return source;
  auto root = parse_toml(front->toml, file, front->first_line);
  if (!root) return fail(std::move(root.error()));
  TomlReader reader(file);
  KernelSourceParser{*source, reader}.parse(*root);
  if (reader.error()) return fail(*reader.error());
  return source;
}

Result<std::shared_ptr<const KernelSource>> KernelSource::load(const std::filesystem::path& file) {
  const auto language = language_of(file);
  if (!language) {
    return fail({.message = fmt::format("the ending \"{}\" is not that of a kernel source",
                                        file.extension().string()),
                 .file = file.string(),
                 .expected = ".cpp, .cu, .ptx, .cl, .spv or .py"});
  }
  auto text = read_bytes(file, kMaxBytes);
  if (!text) return fail(std::move(text.error()));
  return parse(std::move(*text), *language, file.string());
}

std::string Tunable::value_text(std::int64_t value) const {
  const bool has_label = value >= 0 && static_cast<std::uint64_t>(value) < labels.size();
  return has_label ? labels[static_cast<std::size_t>(value)] : std::to_string(value);
}

std::vector<std::string> Tunable::label_names() const {
  std::vector<std::string> out;
  for (const std::string& label : labels) out.push_back(fmt::format("{}_{}", name, label));
  return out;
}

std::string_view name(Language language) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "cpp", "cuda", "ptx", "opencl", "spirv", "triton", "python", "recorded"};
  return kNames.at(static_cast<std::size_t>(language));
}

std::optional<Language> language_of(const std::filesystem::path& file) {
  static constexpr std::array<std::pair<std::string_view, Language>, 6> kEndings = {
      {{".cpp", Language::cpp},
       {".cu", Language::cuda},
       {".ptx", Language::ptx},
       {".cl", Language::opencl},
       {".spv", Language::spirv},
       {".py", Language::python}}};
  const std::string ending = file.extension().string();
  for (const auto& [known, language] : kEndings) {
    if (ending == known) return language;
  }
  return std::nullopt;
}

}  // namespace kernatlas
