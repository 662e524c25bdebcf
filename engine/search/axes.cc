#include "engine/search/axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace kernatlas {

namespace {

using archives::Axis;
using archives::OutOfRange;
using archives::Scale;
using Json = nlohmann::ordered_json;

constexpr std::string_view kTunePrefix = "tune.";

Error axis_error(std::string_view feature, std::string_view what) {
  return {.message = fmt::format("archive axis \"{}\": {}", feature, what)};
}

Result<Axis> make_axis(const AxisRequest& request) {
  const auto scale = archives::parse_scale(request.scale);
  if (!scale) {
    Error error = axis_error(request.feature, fmt::format("unknown scale \"{}\"", request.scale));
    error.expected = "linear, log2, quantile or categorical";
    return fail(std::move(error));
  }
  try {
    if (*scale == Scale::categorical) return Axis::categorical(request.feature, request.labels);
    return Axis::edges(request.feature, request.unit, *scale, request.edges);
  } catch (const std::invalid_argument& problem) {
    return fail(axis_error(request.feature, problem.what()));
  }
}

Json to_json(const Axis& axis) {
  Json json{{"name", axis.name()},
            {"unit", axis.unit()},
            {"version", axis.version()},
            {"scale", archives::name(axis.scale())}};
  if (axis.scale() == Scale::categorical) {
    json["labels"] = axis.labels();
  } else {
    json["edges"] = axis.boundaries();
    json["out_of_range"] = axis.policy() == OutOfRange::clip ? "clip" : "reject";
  }
  return json;
}

// Throws what nlohmann/json or the axis's factories throw.
Axis from_json(const Json& json) {
  const auto scale = archives::parse_scale(json.at("scale").get<std::string>());
  if (!scale) throw std::invalid_argument("unknown scale");
  const std::string name = json.at("name");
  Axis axis = [&] {
    if (*scale == Scale::categorical) {
      return Axis::categorical(name, json.at("labels").get<std::vector<std::string>>());
    }
    const std::string policy = json.at("out_of_range");
    if (policy != "clip" && policy != "reject") {
      throw std::invalid_argument("unknown out_of_range");
    }
    return Axis::edges(name, json.at("unit"), *scale, json.at("edges").get<std::vector<double>>(),
                       policy == "clip" ? OutOfRange::clip : OutOfRange::reject);
  }();
  axis.set_version(json.at("version"));
  return axis;
}

std::optional<double> tunable_measure(const Axis& axis, std::string_view name,
                                      const Candidate& candidate) {
  const auto& tunables = candidate.source->tunables();
  for (std::size_t i = 0; i < tunables.size() && i < candidate.assignment.size(); ++i) {
    if (tunables[i].name != name) continue;
    const std::int64_t value = candidate.assignment[i];
    if (axis.scale() != Scale::categorical) return static_cast<double>(value);
    return axis.position(tunables[i].value_text(value))
        .value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return std::nullopt;
}

std::optional<double> feature_measure(const Axis& axis, const Features& features) {
  const FeatureValue* value = features.find(axis.name());
  if (value == nullptr) return std::nullopt;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (axis.scale() == Scale::categorical) {
    const auto* label = std::get_if<std::string>(value);
    return label == nullptr ? kNone : axis.position(*label).value_or(kNone);
  }
  const auto* number = std::get_if<double>(value);
  return number == nullptr ? kNone : *number;
}

Error missing(const Axis& axis, const Features& features, const Candidate& candidate) {
  Error error = axis_error(axis.name(), "the candidate has no such feature");
  error.file = candidate.source == nullptr ? "" : candidate.source->file();
  std::string known;
  for (const auto& [name, value] : features.items()) known += (known.empty() ? "" : ", ") + name;
  if (axis.name().starts_with(kTunePrefix)) {
    error.expected = "a tunable of that name in every seed kernel";
  } else {
    error.expected = known.empty() ? "a backend that reports features" : "one of " + known;
  }
  error.hint = "change the task's [[axis]] entries";
  return error;
}

}  // namespace

Result<std::vector<Axis>> make_axes(const std::vector<AxisRequest>& requests) {
  if (requests.empty()) return fail({.message = "the archive has no axes"});
  std::vector<Axis> axes;
  for (const AxisRequest& request : requests) {
    const bool twice = std::any_of(
        axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name() == request.feature; });
    if (twice) return fail(axis_error(request.feature, "appears twice"));
    auto axis = make_axis(request);
    if (!axis) return fail(axis.error());
    axes.push_back(std::move(*axis));
  }
  return axes;
}

std::string axes_to_json(const std::vector<Axis>& axes) {
  Json json = Json::array();
  for (const Axis& axis : axes) json.push_back(to_json(axis));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<std::vector<Axis>> axes_from_json(const std::string& text) {
  const Error damaged{.message = "the run's archive axes are damaged",
                      .expected = "a JSON list of axes, as kernatlas wrote it"};
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_array() || json.empty()) return fail(damaged);
  std::vector<Axis> axes;
  try {
    for (const Json& item : json) axes.push_back(from_json(item));
  } catch (const std::exception& problem) {
    Error error = damaged;
    error.message += fmt::format(": {}", problem.what());
    return fail(std::move(error));
  }
  return axes;
}

Result<std::vector<double>> measures_of(const std::vector<Axis>& axes, const Features& features,
                                        const Candidate& candidate) {
  std::vector<double> measures;
  measures.reserve(axes.size());
  for (const Axis& axis : axes) {
    const std::string_view name = axis.name();
    const auto measure = name.starts_with(kTunePrefix)
                             ? tunable_measure(axis, name.substr(kTunePrefix.size()), candidate)
                             : feature_measure(axis, features);
    if (!measure) return fail(missing(axis, features, candidate));
    measures.push_back(*measure);
  }
  return measures;
}

}  // namespace kernatlas
