// TaskParser: [[baseline]] and [[axis]].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "kernel/task_parser.h"

namespace kernatlas {

namespace {
constexpr std::size_t kMaxAxes = 8;
}  // namespace

void TaskParser::parse_baselines(const TomlFields& top) {
  const auto tables = top.tables("baseline");
  limit(top, "baseline", tables.size(), kMaxTaskTables);
  std::set<std::string> used;
  for (const TomlValue* table : tables) {
    const TomlFields fields(reader, *table, "[[baseline]]",
                            {"name", "backend", "source", "libraries", "include_dirs"}, kTaskKeys);
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
std::vector<std::string> TaskParser::libraries(const TomlFields& fields) {
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

std::vector<std::string> TaskParser::include_dirs(const TomlFields& fields) {
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

void TaskParser::parse_axes(const TomlFields& top) {
  const auto tables = top.tables("axis");
  limit(top, "axis", tables.size(), kMaxAxes);
  std::set<std::string> used;
  for (const TomlValue* table : tables) {
    if (failed()) return;
    const TomlFields fields(reader, *table, "[[axis]]",
                            {"feature", "unit", "scale", "edges", "labels"}, kTaskKeys);
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

void TaskParser::parse_labels(const TomlFields& fields, AxisRequest& axis) {
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

void TaskParser::parse_edges(const TomlFields& fields, AxisRequest& axis) {
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

}  // namespace kernatlas
