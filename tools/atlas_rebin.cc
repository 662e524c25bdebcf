#include "tools/atlas_rebin.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "archives/operations/fill.h"
#include "archives/registry.h"
#include "engine/search/axes.h"
#include "engine/search/elites.h"
#include "engine/search/examination.h"
#include "engine/search/from_atlas.h"
#include "engine/search/search.h"
#include "tools/atlas_axes.h"
#include "tools/atlas_input.h"
#include "tools/run_directory.h"

namespace kernatlas {

namespace {

using archives::ArchiveSpec;
using archives::Axis;

Result<ArchiveSpec> spec_for(const ArchiveSpec& before, const RebinRequest& request,
                             const Samples& samples) {
  ArchiveSpec spec = before;
  if (!request.kind.empty() && request.kind != spec.kind) {
    spec.kind = request.kind;
    spec.options.clear();
    spec.points.clear();
  }
  for (const auto& [name, value] : request.options) spec.options[name] = value;
  if (request.axes.empty()) return spec;
  auto axes = parse_axes(request.axes, before.axes, samples);
  if (!axes) return fail(axes.error());
  spec.axes = std::move(*axes);
  spec.points.clear();
  return spec;
}

// The value of one numeric feature or tunable; NaN where it is missing or a label.
double value_of(const std::string& name, const Features& features, const Candidate& candidate) {
  const auto measures = measures_of({Axis::linear(name, "", 0, 1, 1)}, features, candidate);
  return measures ? measures->front() : std::numeric_limits<double>::quiet_NaN();
}

// Calls `take` for every candidate of the run with a whole timing.
Result<void> each_measured(const RunReader& reader,
                           const std::function<void(const SettledRow&, const Candidate&)>& take) {
  const auto options = tunables_from_json(reader.info().options_json);
  if (!options) return fail(options.error());
  std::vector<std::uint64_t> tickets;
  reader.hot_rows(0, [&](const HotRow& row) {
    if (row.kind == OutcomeKind::measured) tickets.push_back(row.ticket);
    return true;
  });
  for (const std::uint64_t ticket : tickets) {
    const auto row = reader.row(ticket);
    if (!row || row->outcome.was_cut()) continue;
    const auto candidate = candidate_of(*row, *options);
    if (!candidate) return fail(candidate.error());
    take(*row, *candidate);
  }
  return reader.health();
}

// Comparisons count for more than two timings: the loser ranks below the winner.
class Rematch {
 public:
  void remember(const SettledRow& row) {
    if (row.verdict.comparison) rows_.push_back({row.settled_unix_ms, row.ticket, row.verdict});
  }
  void apply(std::vector<archives::Filling>& fillings) {
    std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
      return a.unix_ms != b.unix_ms ? a.unix_ms < b.unix_ms : a.ticket < b.ticket;
    });
    std::unordered_map<std::uint64_t, archives::Filling*> by_ticket;
    for (archives::Filling& each : fillings) by_ticket[each.entry.id] = &each;
    for (const Row& row : rows_) {
      const auto challenger = by_ticket.find(row.ticket);
      const auto incumbent = by_ticket.find(row.verdict.compared_with);
      const auto finding = row.verdict.comparison->finding;
      if (challenger == by_ticket.end() || incumbent == by_ticket.end() ||
          finding == Comparison::Finding::failed) {
        continue;
      }
      const bool won = finding == Comparison::Finding::faster;
      archives::Filling& loser = won ? *incumbent->second : *challenger->second;
      const archives::Filling& winner = won ? *challenger->second : *incumbent->second;
      if (loser.rank_objective() < winner.rank_objective()) continue;
      loser.cap = archives::just_below(winner.rank_objective());
    }
  }

 private:
  struct Row {
    std::int64_t unix_ms = 0;
    std::uint64_t ticket = 0;
    Verdict verdict;
  };
  std::vector<Row> rows_;
};

Features features_from(const std::string& text) {
  Features features;
  const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return features;
  for (const auto& [name, value] : json.items()) {
    if (value.is_number()) features.set(name, value.get<double>());
    if (value.is_string()) features.set(name, value.get<std::string>());
  }
  return features;
}

// What an elite's payload says about it; no candidate for payloads that are not kernels.
struct Described {
  Features features;
  std::optional<Candidate> candidate;
};

Described describe(const archives::AtlasRecord& record, const archives::BlobTable& blobs) {
  const archives::PayloadMap payload = unpack(record.payload, blobs);
  Described described;
  if (const auto text = payload.find("features"); text != payload.end()) {
    described.features = features_from(text->second);
  }
  if (auto candidate = candidate_from(payload, {})) described.candidate = std::move(*candidate);
  return described;
}

std::optional<std::vector<double>> measures_from(const std::vector<Axis>& axes,
                                                 const Described& described) {
  if (!described.candidate) return std::nullopt;
  auto measures = measures_of(axes, described.features, *described.candidate);
  if (!measures) return std::nullopt;
  return std::move(*measures);
}

}  // namespace

Result<archives::Rebinned> rebin_run(const RunReader& reader, const RebinRequest& request) {
  const auto archive = rebuild_archive(reader);
  if (!archive) return fail(archive.error());
  const Samples samples = [&](const std::string& name) {
    std::vector<double> values;
    (void)each_measured(reader, [&](const SettledRow& row, const Candidate& candidate) {
      values.push_back(value_of(name, row.outcome.features, candidate));
    });
    return values;
  };
  auto spec = spec_for((*archive)->spec(), request, samples);
  if (!spec) return fail(spec.error());
  archives::Rebinned result;
  std::vector<archives::Filling> fillings;
  Rematch rematch;
  const auto read = each_measured(reader, [&](const SettledRow& row, const Candidate& candidate) {
    auto measures = measures_of(spec->axes, row.outcome.features, candidate);
    if (!measures) {
      ++result.unknown;
      return;
    }
    fillings.push_back({.entry = make_entry(row.ticket, row.outcome, std::move(*measures))});
    rematch.remember(row);
  });
  if (!read) return fail(read.error());
  rematch.apply(fillings);
  auto filled = archives::fill(*spec, std::move(fillings), archives::builtin_kinds());
  if (!filled) return fail(to_error(filled.error()));
  result.refused = filled->refused;
  result.atlas = atlas_frame(reader);
  result.atlas.state = std::move(filled->state);
  if (auto added = add_records(reader, result.atlas); !added) return fail(added.error());
  return result;
}

Result<archives::Rebinned> rebin_file(const archives::Atlas& atlas, const RebinRequest& request) {
  const Samples samples = [&](const std::string& name) {
    std::vector<double> values;
    for (std::size_t i = 0; i < atlas.records.size(); ++i) {
      const std::vector<Axis>& axes = atlas.state.spec.axes;
      const auto axis = std::find_if(axes.begin(), axes.end(),
                                     [&](const Axis& each) { return each.name() == name; });
      if (axis != axes.end() && axis->scale() != archives::Scale::categorical) {
        values.push_back(atlas.state.elites[i].entry.measures[axis - axes.begin()]);
        continue;
      }
      const Described described = describe(atlas.records[i], atlas.blobs);
      if (!described.candidate) continue;
      values.push_back(value_of(name, described.features, *described.candidate));
    }
    return values;
  };
  auto spec = spec_for(atlas.state.spec, request, samples);
  if (!spec) return fail(spec.error());
  auto remeasure = archives::by_name(atlas.state.spec.axes, spec->axes);
  if (!remeasure) {
    remeasure = [&](const archives::Elite&, const archives::AtlasRecord& record) {
      return measures_from(spec->axes, describe(record, atlas.blobs));
    };
  }
  auto result = archives::rebin(atlas, *spec, *remeasure, archives::builtin_kinds());
  if (!result) return fail(to_error(result.error()));
  if (result->unknown == atlas.records.size() && !atlas.records.empty()) {
    std::string names;
    for (const Axis& axis : spec->axes) names += (names.empty() ? "" : ", ") + axis.name();
    return fail({.message = fmt::format("no elite has all of the measures {}", names),
                 .hint = "axes of a file are its measures, its features, or tune.NAME"});
  }
  return std::move(*result);
}

}  // namespace kernatlas
