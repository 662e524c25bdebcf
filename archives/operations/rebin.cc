#include "archives/operations/rebin.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "archives/operations/fill.h"

namespace kernatlas::archives {
namespace {

double translated(const Axis& from, const Axis& to, double measure) {
  if (from.scale() != Scale::categorical) return measure;
  const auto label = static_cast<std::size_t>(measure);
  if (!(measure >= 0) || label >= from.labels().size()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  return to.position(from.labels()[label]).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

std::optional<Remeasure> by_name(const std::vector<Axis>& from, const std::vector<Axis>& to) {
  std::vector<std::size_t> positions;
  for (const Axis& axis : to) {
    const auto found = std::find_if(from.begin(), from.end(), [&](const Axis& each) {
      return each.name() == axis.name() &&
             (each.scale() == Scale::categorical) == (axis.scale() == Scale::categorical);
    });
    if (found == from.end()) return std::nullopt;
    positions.push_back(static_cast<std::size_t>(found - from.begin()));
  }
  return [from, to, positions](const Elite& elite, const AtlasRecord&) {
    std::vector<double> measures;
    for (std::size_t i = 0; i < to.size(); ++i) {
      const std::size_t position = positions[i];
      measures.push_back(translated(from[position], to[i], elite.entry.measures[position]));
    }
    return std::optional(std::move(measures));
  };
}

Expected<Rebinned> rebin(const Atlas& atlas, const ArchiveSpec& spec, const Remeasure& remeasure,
                         const ArchiveKinds& kinds) {
  Rebinned result;
  const std::vector<double> caps = caps_of(atlas.state);
  std::vector<Filling> fillings;
  std::unordered_map<std::uint64_t, std::size_t> position;
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    auto measures = remeasure(elite, atlas.records[i]);
    if (!measures) {
      ++result.unknown;
      continue;
    }
    fillings.push_back({elite.entry, caps[i]});
    fillings.back().entry.measures = std::move(*measures);
    position.emplace(elite.entry.id, i);
  }
  auto filled = fill(spec, std::move(fillings), kinds);
  if (!filled) return fail(filled.error());
  result.refused = filled->refused;
  result.atlas = atlas;
  result.atlas.state = std::move(filled->state);
  result.atlas.records.clear();
  for (const Elite& elite : result.atlas.state.elites) {
    result.atlas.records.push_back(atlas.records[position.at(elite.entry.id)]);
  }
  return result;
}

}  // namespace kernatlas::archives
