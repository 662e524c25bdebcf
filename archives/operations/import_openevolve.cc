#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "archives/operations/identity.h"
#include "archives/operations/importing.h"

namespace kernatlas::archives {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// JSON that nests deeper than any program's record would exhaust the parser's stack of states.
Json parse(const std::string& text) {
  constexpr int kMaxDepth = 64;
  return Json::parse(
      text,
      [](int depth, Json::parse_event_t, Json&) {
        if (depth > kMaxDepth) throw std::length_error("nested too deep");
        return true;
      },
      true);
}

double number_in(const Json& object, const std::string& name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : kNan;
}

std::string text_in(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double measure_of(const Json& program, const Json& metrics, const Axis& axis) {
  const bool own = axis.name() == "complexity" || axis.name() == "diversity";
  if (own && !metrics.contains(axis.name())) return number_in(program, axis.name());
  if (axis.scale() != Scale::categorical) return number_in(metrics, axis.name());
  return axis.position(text_in(metrics, axis.name().c_str())).value_or(kNan);
}

double objective_of(const Json& metrics, const std::vector<Axis>& axes) {
  const double combined = number_in(metrics, "combined_score");
  if (!std::isnan(combined)) return combined;
  double sum = 0;
  std::size_t count = 0;
  for (const auto& metric : metrics.items()) {
    const bool is_axis = std::any_of(axes.begin(), axes.end(),
                                     [&](const Axis& axis) { return axis.name() == metric.key(); });
    if (!metric.value().is_number() || is_axis) continue;
    sum += metric.value().get<double>();
    ++count;
  }
  return count == 0 ? kNan : sum / static_cast<double>(count);
}

void add_program(const Json& program, const std::vector<Axis>& axes, Importing& importing) {
  const Json metrics = program.value("metrics", Json::object());
  const std::string code = text_in(program, "code");
  if (!metrics.is_object() || code.empty()) return importing.skip();
  std::vector<double> measures;
  for (const Axis& axis : axes) measures.push_back(measure_of(program, metrics, axis));
  if (std::any_of(measures.begin(), measures.end(), [](double m) { return !std::isfinite(m); })) {
    return importing.skip();
  }
  PayloadMap payload{{"source", code},
                     {"metrics", metrics.dump(-1, ' ', false, Json::error_handler_t::replace)}};
  for (const char* name : {"id", "language", "parent_id"}) {
    if (std::string text = text_in(program, name); !text.empty()) payload[name] = std::move(text);
  }
  for (const char* name : {"generation", "iteration_found"}) {
    const auto found = program.find(name);
    if (found != program.end() && found->is_number()) payload[name] = found->dump();
  }
  importing.add(objective_of(metrics, axes), std::move(measures), static_cast<double>(code.size()),
                content_key(code), std::move(payload));
}

AtlasError in_file(AtlasError error, const fs::path& file) {
  error.file = file.string();
  return error;
}

}  // namespace

Expected<Imported> import_openevolve(const fs::path& folder, const ImportOptions& options,
                                     const ArchiveKinds& kinds) {
  std::error_code problem;
  const fs::path programs = folder / "programs";
  if (!fs::is_regular_file(folder / "metadata.json", problem) ||
      !fs::is_directory(programs, problem)) {
    return fail({.message = "is no checkpoint of OpenEvolve",
                 .file = folder.string(),
                 .expected = "a folder with metadata.json and programs/",
                 .hint = "checkpoints lie in openevolve_output/checkpoints/checkpoint_N"});
  }
  std::vector<fs::path> files;
  for (fs::directory_iterator at(programs, problem), end; !problem && at != end;
       at.increment(problem)) {
    if (at->path().extension() == ".json") files.push_back(at->path());
  }
  if (problem) {
    return fail({.kind = AtlasError::Kind::io,
                 .message = "cannot be read: " + problem.message(),
                 .file = programs.string()});
  }
  std::sort(files.begin(), files.end());
  Importing importing(options);
  for (const fs::path& file : files) {
    const auto text = Importing::read_file(file);
    if (!text) return fail(text.error());
    try {
      const Json program = parse(*text);
      if (!program.is_object()) {
        return fail(in_file({.message = "is no program", .expected = "a JSON object"}, file));
      }
      add_program(program, options.spec.axes, importing);
    } catch (const std::exception& error) {
      return fail(in_file({.message = fmt::format("is no JSON: {}", error.what())}, file));
    }
  }
  return importing.finish(
      {{"imported_from", "OpenEvolve"}, {"checkpoint", folder.filename().string()}}, kinds);
}

}  // namespace kernatlas::archives
