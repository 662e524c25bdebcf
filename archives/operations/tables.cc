#include "archives/operations/tables.h"

#include <csv.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace kernatlas::archives {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

// The label, or nothing for a measure that is no label's position.
std::optional<std::string> label_of(const Axis& axis, double measure) {
  const auto label = static_cast<std::size_t>(measure);
  if (axis.scale() != Scale::categorical || !(measure >= 0) || label >= axis.labels().size()) {
    return std::nullopt;
  }
  return axis.labels()[label];
}

Json axis_json(const Axis& axis) {
  Json json{{"name", axis.name()},
            {"unit", axis.unit()},
            {"version", axis.version()},
            {"scale", name(axis.scale())}};
  if (axis.scale() == Scale::categorical) {
    json["labels"] = axis.labels();
  } else {
    json["out_of_range"] = axis.policy() == OutOfRange::clip ? "clip" : "reject";
    json["edges"] = axis.boundaries();
  }
  return json;
}

Json archive_json(const ArchiveState& state) {
  const ArchiveSpec& spec = state.spec;
  Json axes = Json::array();
  for (const Axis& axis : spec.axes) axes.push_back(axis_json(axis));
  const Stats& stats = state.counters;
  return {{"kind", spec.kind},
          {"axes", axes},
          {"acceptance", spec.acceptance},
          {"min_gain", spec.min_gain},
          {"floor", spec.floor},
          {"options", spec.options},
          {"points", spec.points},
          {"cells", stats.cells},
          {"occupied", stats.occupied},
          {"coverage", number(stats.coverage)},
          {"qd_score", number(stats.qd_score)},
          {"best", number(stats.best)},
          {"mean", number(stats.mean)}};
}

Json elite_json(const Elite& elite, const AtlasRecord& record, const Atlas& atlas) {
  const Entry& entry = elite.entry;
  const std::vector<Axis>& axes = atlas.state.spec.axes;
  Json measures = Json::object();
  for (std::size_t i = 0; i < axes.size() && i < entry.measures.size(); ++i) {
    const auto label = label_of(axes[i], entry.measures[i]);
    measures[axes[i].name()] = label ? Json(*label) : number(entry.measures[i]);
  }
  Json costs = Json::array();
  for (const double cost : entry.costs) costs.push_back(number(cost));
  return {{"id", entry.id},
          {"key", record.key},
          {"cell", elite.cell},
          {"rank", elite.rank},
          {"objective", number(entry.objective)},
          {"low", number(entry.low)},
          {"high", number(entry.high)},
          {"size", number(entry.size)},
          {"samples", entry.samples},
          {"measures", measures},
          {"costs", costs},
          {"payload", unpack(record.payload, atlas.blobs)}};
}

class CsvText {
 public:
  void field(std::string_view value) {
    if (!first_) text_ += ',';
    first_ = false;
    if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
      text_ += value;
      return;
    }
    std::string quoted(2 * value.size() + 2, '\0');
    quoted.resize(csv_write(quoted.data(), quoted.size(), value.data(), value.size()));
    text_ += quoted;
  }
  void number(double value) { field(fmt::format("{}", value)); }
  void integer(std::uint64_t value) { field(fmt::format("{}", value)); }
  void end_line() {
    text_ += "\r\n";
    first_ = true;
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
  bool first_ = true;
};

constexpr const char* kColumns[] = {"id",  "key",  "cell", "rank",   "objective",
                                    "low", "high", "size", "samples"};

// Names of payload values that are short in every record.
std::set<std::string> short_values(const Atlas& atlas) {
  std::map<std::string, bool> is_short;
  for (const AtlasRecord& record : atlas.records) {
    for (const auto& [name, text] : unpack(record.payload, atlas.blobs)) {
      const auto place = is_short.try_emplace(name, true).first;
      place->second = place->second && text.size() <= kInlineBytes;
    }
  }
  std::set<std::string> names;
  for (const auto& [name, fits] : is_short) {
    if (fits) names.insert(name);
  }
  return names;
}

}  // namespace

std::string to_json(const Atlas& atlas) {
  Json json{{"subject", atlas.subject},
            {"contract", atlas.contract},
            {"context", atlas.context},
            {"provenance", atlas.provenance},
            {"archive", archive_json(atlas.state)}};
  json["elites"] = Json::array();
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    json["elites"].push_back(elite_json(atlas.state.elites[i], atlas.records[i], atlas));
  }
  json["proposals"] = Json::array();
  for (const AtlasProposal& each : atlas.proposals) {
    json["proposals"].push_back({{"key", each.key},
                                 {"origin", each.origin},
                                 {"payload", unpack(each.payload, atlas.blobs)}});
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_csv(const Atlas& atlas) {
  CsvText csv;
  const std::vector<Axis>& axes = atlas.state.spec.axes;
  const std::set<std::string> names = short_values(atlas);
  for (const char* column : kColumns) csv.field(column);
  for (const Axis& axis : axes) csv.field(axis.name());
  for (const std::string& each : names) csv.field(each);
  csv.end_line();
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    const Entry& entry = elite.entry;
    csv.integer(entry.id);
    csv.field(atlas.records[i].key);
    csv.integer(elite.cell);
    csv.integer(elite.rank);
    for (const double each : {entry.objective, entry.low, entry.high, entry.size}) {
      csv.number(each);
    }
    csv.integer(entry.samples);
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      const auto label = label_of(axes[axis], entry.measures[axis]);
      label ? csv.field(*label) : csv.number(entry.measures[axis]);
    }
    const PayloadMap payload = unpack(atlas.records[i].payload, atlas.blobs);
    for (const std::string& each : names) {
      const auto found = payload.find(each);
      csv.field(found == payload.end() ? "" : found->second);
    }
    csv.end_line();
  }
  return csv.take();
}

}  // namespace kernatlas::archives
