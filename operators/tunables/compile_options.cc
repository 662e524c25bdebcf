#include "operators/tunables/compile_options.h"

#include <algorithm>

namespace kernatlas {
namespace {

bool belong(const std::vector<Tunable>& options, const CompileOptions& given) {
  if (given.size() != options.size()) return false;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const auto& values = options[i].values;
    if (std::find(values.begin(), values.end(), given[i]) == values.end()) return false;
  }
  return true;
}

}  // namespace

CompileOptions written_out(const std::vector<Tunable>& options, const CompileOptions& given) {
  if (belong(options, given)) return given;
  CompileOptions values;
  values.reserve(options.size());
  for (const Tunable& option : options) values.push_back(option.values.front());
  return values;
}

CompileOptions shortened(const std::vector<Tunable>& options, CompileOptions values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != options[i].values.front()) return values;
  }
  return {};
}

CompileOptions inherited(const std::vector<Tunable>& options, const CompileOptions& given) {
  return shortened(options, written_out(options, given));
}

CompileOptions random_options(const std::vector<Tunable>& options, Rng& rng) {
  CompileOptions values;
  values.reserve(options.size());
  for (const Tunable& option : options) {
    values.push_back(option.values[uniform_below(rng, option.values.size())]);
  }
  return shortened(options, std::move(values));
}

}  // namespace kernatlas
