#include "tools/atlas_axes.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace kernatlas {

namespace {

using archives::Axis;
using archives::Scale;

constexpr std::size_t kMaxBins = 1u << 20;

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(at);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// Throws std::invalid_argument, as the axes' factories do.
double number(const std::string& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument(fmt::format("\"{}\" is no number", text));
  }
  return value;
}

std::size_t bins(const std::string& text) {
  const double value = number(text);
  if (!(value >= 1 && value <= static_cast<double>(kMaxBins)) || value != std::size_t(value)) {
    throw std::invalid_argument(fmt::format("{} bins", text));
  }
  return static_cast<std::size_t>(value);
}

Axis make_axis(const std::string& name, const std::string& unit, const std::string& how,
               const Samples& samples) {
  const std::vector<std::string> parts = split(how, ':');
  const std::string& kind = parts[0];
  if ((kind == "linear" || kind == "log2") && parts.size() == 4) {
    const double low = number(parts[1]);
    const double high = number(parts[2]);
    return kind == "log2" ? Axis::log2(name, unit, low, high, bins(parts[3]))
                          : Axis::linear(name, unit, low, high, bins(parts[3]));
  }
  if (kind == "edges" && parts.size() == 2) {
    std::vector<double> edges;
    for (const std::string& each : split(parts[1], ',')) edges.push_back(number(each));
    return Axis::edges(name, unit, Scale::linear, edges);
  }
  if (kind == "labels" && parts.size() == 2) return Axis::categorical(name, split(parts[1], ','));
  if (kind == "quantile" && parts.size() == 2) {
    if (!samples) throw std::invalid_argument("there is nothing to take quantiles of");
    return Axis::quantile(name, unit, samples(name), bins(parts[1]));
  }
  throw std::invalid_argument(fmt::format("\"{}\" says no way to cut it", how));
}

Result<Axis> parse_axis(const std::string& text, const std::vector<Axis>& known,
                        const Samples& samples) {
  const auto equals = text.find('=');
  std::string name = text.substr(0, equals);
  if (equals == std::string::npos) {
    const auto found = std::find_if(known.begin(), known.end(),
                                    [&](const Axis& axis) { return axis.name() == name; });
    if (found != known.end()) return *found;
    std::string names;
    for (const Axis& axis : known) names += (names.empty() ? "" : ", ") + axis.name();
    return fail({.message = fmt::format("axis \"{}\" is none of the archive's", name),
                 .expected = names.empty() ? kAxisHelp : "one of " + names + ", or a new one",
                 .hint = "a new one says how it is cut: " + name + "=linear:0:10:5"});
  }
  std::string unit;
  if (const auto open = name.find('['); open != std::string::npos && name.back() == ']') {
    unit = name.substr(open + 1, name.size() - open - 2);
    name.resize(open);
  }
  try {
    return make_axis(name, unit, text.substr(equals + 1), samples);
  } catch (const std::invalid_argument& problem) {
    return fail(
        {.message = fmt::format("axis \"{}\": {}", name, problem.what()), .expected = kAxisHelp});
  }
}

}  // namespace

Result<std::vector<Axis>> parse_axes(const std::vector<std::string>& texts,
                                     const std::vector<Axis>& known, const Samples& samples) {
  std::vector<Axis> axes;
  for (const std::string& text : texts) {
    auto axis = parse_axis(text, known, samples);
    if (!axis) return fail(axis.error());
    axes.push_back(std::move(*axis));
  }
  return axes;
}

}  // namespace kernatlas
