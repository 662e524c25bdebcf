#include <charconv>
#include <cmath>

#include "backends/cpu/cpu_lab.h"

namespace kernatlas {

namespace {

Result<double> number_in(const std::string& name, const std::string& text, double low,
                         double high) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= low && value <= high) {
    return value;
  }
  return fail({.message = "parameter " + name + " = \"" + text + "\" is not usable",
               .expected = "a number from " + std::to_string(low) + " to " + std::to_string(high)});
}

}  // namespace

std::map<std::string, std::string> CpuParameters::describe() {
  return {{"time_s", "timing budget per workload in seconds (default 0.12)"},
          {"cases", "input sets kept per workload (default: enough for every fill, at least 3)"},
          {"pairs", "interleaved pairs of a comparison (default 12, at least 10)"},
          {"verify_only", "1: verify, but do not time (default 0)"},
          {"inspect", "0: run objects without inspecting them (default 1)"}};
}

Result<CpuParameters> CpuParameters::parse(const std::map<std::string, std::string>& parameters) {
  CpuParameters result;
  for (const auto& [name, text] : parameters) {
    Result<double> value = 0.0;
    if (name == "time_s") {
      value = number_in(name, text, 0, 3600);
      if (value) result.time_s = *value;
    } else if (name == "cases") {
      value = number_in(name, text, 0, 1000);
      if (value) result.cases = static_cast<int>(*value);
    } else if (name == "pairs") {
      value = number_in(name, text, 10, 1000);
      if (value) result.pairs = static_cast<int>(*value);
    } else if (name == "verify_only" || name == "inspect") {
      value = number_in(name, text, 0, 1);
      if (value) (name == "inspect" ? result.inspect : result.verify_only) = *value != 0;
    } else {
      std::string known;
      for (const auto& entry : describe()) known += (known.empty() ? "" : ", ") + entry.first;
      return fail({.message = "the cpu backend has no parameter " + name, .expected = known});
    }
    if (!value) return fail(value.error());
  }
  return result;
}

}  // namespace kernatlas
