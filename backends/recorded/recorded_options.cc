#include "backends/recorded/recorded_options.h"

#include <fmt/core.h>

#include <charconv>

namespace kernatlas {

namespace {

struct Parameter {
  const char* name;
  double RecordedOptions::*member;
  double highest;
  const char* description;
};

constexpr Parameter kParameters[] = {
    {"noise", &RecordedOptions::noise, 10, "relative standard deviation put on every time, 0.02"},
    {"fail_rate", &RecordedOptions::fail_rate, 1, "share of evaluations that crash, 0 to 1"},
    {"latency_ms", &RecordedOptions::latency_ms, 3.6e6, "real time an evaluation takes"},
    {"slow_rate", &RecordedOptions::slow_rate, 1, "share of evaluations that take slow_ms instead"},
    {"slow_ms", &RecordedOptions::slow_ms, 3.6e6, "real time a slow evaluation takes"},
};

Result<double> parse_number(const std::string& text, const Parameter& parameter) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc{} && end == text.data() + text.size() && value >= 0 &&
      value <= parameter.highest) {
    return value;
  }
  return fail(
      {.message = fmt::format("parameter {} of backend recorded is \"{}\"", parameter.name, text),
       .expected = fmt::format("a number from 0 to {}", parameter.highest)});
}

}  // namespace

std::map<std::string, std::string> RecordedOptions::descriptions() {
  std::map<std::string, std::string> all{
      {"table", "the table to replay, .csv or .csv.gz; default: the one the task was made from"}};
  for (const Parameter& parameter : kParameters) all[parameter.name] = parameter.description;
  return all;
}

Result<RecordedOptions> RecordedOptions::parse(
    const std::map<std::string, std::string>& parameters) {
  RecordedOptions options;
  for (const auto& [name, text] : parameters) {
    if (name == "table") {
      options.table = text;
      continue;
    }
    bool known = false;
    for (const Parameter& parameter : kParameters) {
      if (name != parameter.name) continue;
      auto value = parse_number(text, parameter);
      if (!value) return fail(value.error());
      options.*parameter.member = *value;
      known = true;
    }
    if (!known) {
      return fail({.message = fmt::format("backend recorded has no parameter \"{}\"", name),
                   .expected = "table, noise, fail_rate, latency_ms, slow_rate or slow_ms"});
    }
  }
  return options;
}

}  // namespace kernatlas
