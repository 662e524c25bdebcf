#include "archives/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "archives/cvt.h"
#include "archives/dominated_novelty.h"
#include "archives/grid.h"
#include "archives/pareto.h"
#include "archives/soft.h"

namespace kernatlas::archives {
namespace {

// Fills in what is missing; why the options are impossible, or nothing.
std::string settle_options(const Kind& kind, std::map<std::string, double>& options) {
  for (const auto& [name, value] : options) {
    const auto known =
        std::find_if(kind.options.begin(), kind.options.end(),
                     [&, &wanted = name](const KindOption& each) { return each.name == wanted; });
    if (known == kind.options.end()) return fmt::format("there is no option \"{}\"", name);
    const bool in_range = value >= known->least && value <= known->most;
    if (!in_range || (known->whole && value != std::floor(value))) {
      return fmt::format("{} must be a {}number from {} to {}, not {}", name,
                         known->whole ? "whole " : "", known->least, known->most, value);
    }
  }
  for (const KindOption& option : kind.options) options.try_emplace(option.name, option.standard);
  return {};
}

}  // namespace

void ArchiveKinds::add(Kind kind) {
  if (find(kind.name) != nullptr) {
    throw std::invalid_argument(fmt::format("archive kind \"{}\" is there already", kind.name));
  }
  kinds_.push_back(std::move(kind));
}

void ArchiveKinds::add(std::string name, std::string description, KindFactory factory,
                       std::vector<KindOption> options) {
  add({.name = std::move(name),
       .description = std::move(description),
       .options = std::move(options),
       .factory = std::move(factory)});
}

std::vector<std::string> ArchiveKinds::names() const {
  std::vector<std::string> names;
  for (const Kind& kind : kinds_) names.push_back(kind.name);
  return names;
}

const Kind* ArchiveKinds::find(std::string_view name) const {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const Kind& kind) { return kind.name == name; });
  return found == kinds_.end() ? nullptr : &*found;
}

ArchiveOrError ArchiveKinds::make(ArchiveSpec spec) const {
  const Kind* kind = find(spec.kind);
  if (kind == nullptr) {
    return tl::unexpected(fmt::format("there is no archive kind \"{}\"; known: {}", spec.kind,
                                      fmt::join(names(), ", ")));
  }
  if (std::string why = settle_options(*kind, spec.options); !why.empty()) {
    return tl::unexpected(fmt::format("{}: {}", spec.kind, why));
  }
  if (!kind->points && !spec.points.empty()) {
    return tl::unexpected(fmt::format("{}: takes no centroids", spec.kind));
  }
  try {
    return kind->factory(spec);
  } catch (const std::invalid_argument& problem) {
    return tl::unexpected(std::string(problem.what()));
  }
}

ArchiveOrError ArchiveKinds::restore(const ArchiveState& state) const {
  ArchiveOrError archive = make(state.spec);
  if (!archive) return archive;
  if (std::string why = (*archive)->restore(state); !why.empty()) {
    return tl::unexpected(std::move(why));
  }
  return archive;
}

ArchiveKinds builtin_kinds() {
  ArchiveKinds kinds;
  kinds.add(grid_kind());
  kinds.add(cvt_kind());
  kinds.add(dominated_novelty_kind());
  kinds.add(pareto_kind());
  kinds.add(soft_kind());
  return kinds;
}

}  // namespace kernatlas::archives
