#include "tools/candidate_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "tools/text_diff.h"

namespace kernatlas {

using Json = nlohmann::ordered_json;

Result<std::uint64_t> resolve_candidate(const RunReader& reader, const Report& run,
                                        const std::string& id) {
  if (id == "best") {
    if (run.elites.empty()) {
      return fail({.message = "the run has found no correct kernel yet",
                   .hint = "kernatlas resume goes on with it"});
    }
    return run.elites.front().row.ticket;
  }
  if (!id.starts_with('#')) return reader.find(id);
  std::uint64_t ticket = 0;
  const auto [end, error] = std::from_chars(id.data() + 1, id.data() + id.size(), ticket);
  if (error != std::errc() || end != id.data() + id.size() || !reader.row(ticket)) {
    return fail({.message = fmt::format("there is no evaluation {}", id),
                 .expected = "\"best\", #TICKET, or hexadecimal digits of an id"});
  }
  return ticket;
}

std::vector<SettledRow> lineage(const RunReader& reader, const SettledRow& row) {
  std::vector<SettledRow> line{row};
  // Parents always carry smaller tickets; the set guards against damaged data only.
  std::set<std::uint64_t> seen{row.ticket};
  while (!line.back().parents.empty()) {
    const std::uint64_t parent = line.back().parents.front();
    if (!seen.insert(parent).second) break;
    auto next = reader.row(parent);
    if (!next) break;
    line.push_back(*std::move(next));
  }
  return line;
}

std::string described_source(const SettledRow& row) {
  return fmt::format("// tunables: {}\n// options: {}\n{}",
                     row.assignment.empty() ? "none" : row.assignment,
                     row.options.empty() ? "defaults" : row.options, row.source->text());
}

namespace {

std::string value_text(const FeatureValue& value) {
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  return std::get<std::string>(value);
}

std::string times_text(const Outcome& outcome) {
  std::string out;
  for (const WorkloadTime& time : outcome.times) {
    out += fmt::format(
        "  workload {}: {:.2f} us [{:.2f}, {:.2f}], IQR {:.2f}, {} samples{}; baseline {:.2f} us\n",
        time.workload, time.median_ns / 1e3, time.median_interval_ns.low / 1e3,
        time.median_interval_ns.high / 1e3, time.iqr_ns / 1e3, time.samples,
        time.cut ? ", cut early" : "", time.baseline_ns / 1e3);
  }
  return out;
}

}  // namespace

std::string outcome_text(const Outcome& outcome) {
  if (!outcome.measured()) {
    return fmt::format("{} at {}: {}\n{}{}", name(outcome.kind), name(outcome.stage),
                       outcome.message, outcome.detail, outcome.detail.empty() ? "" : "\n");
  }
  std::string out = fmt::format("{}\n{}", speedup_text(outcome.fitness, outcome.fitness_interval),
                                times_text(outcome));
  const Accuracy& accuracy = outcome.accuracy;
  out += fmt::format(
      "  error against float64: norm {:.3g} (limit {:.3g}, plain baseline {:.3g}), worst {:.3g} "
      "(limit {:.3g}), {} input sets\n",
      accuracy.norm_error, accuracy.norm_limit, accuracy.baseline_error, accuracy.worst_error,
      accuracy.worst_limit, accuracy.input_sets);
  out += fmt::format("  binary {}, {}\n", outcome.binary.short_hex(), outcome.device);
  for (const std::string& flag : outcome.flags) out += fmt::format("  flagged {}\n", flag);
  return out;
}

namespace {

// Why it holds its cell, or why it does not.
std::string standing_text(const Report& run, const SettledRow& row) {
  if (row.verdict.kind == Verdict::Kind::none) return "never offered to the archive\n";
  const auto cell_text = run.archive->cell_text(row.verdict.cell);
  std::string cell;
  for (std::size_t i = 0; i < cell_text.size(); ++i) {
    cell += fmt::format("{}{} {}", i > 0 ? ", " : "", run.archive->axes()[i].name(), cell_text[i]);
  }
  std::string out = fmt::format("cell {} ({}): {}", row.verdict.cell, cell, name(row.verdict.kind));
  if (row.verdict.kind == Verdict::Kind::improved) {
    out += fmt::format(", gain {:.1f} %", 100 * (std::exp2(row.verdict.gain) - 1));
  }
  out += '\n';
  if (row.verdict.comparison) {
    const Comparison& comparison = *row.verdict.comparison;
    out += fmt::format("  re-measured interleaved against #{}: {:+.2f} %, {} of {} pairs won\n",
                       row.verdict.compared_with, 100 * (std::exp2(comparison.log2_gain) - 1),
                       comparison.wins,
                       comparison.pairs * std::max<std::size_t>(1, row.outcome.times.size()));
  }
  const archives::Elite* champion = run.archive->champion(row.verdict.cell);
  if (champion == nullptr) return out;
  if (champion->entry.id == row.ticket) return out + "  holds the cell now\n";
  return out + fmt::format("  the cell is now held by #{} at {:.2f}x\n", champion->entry.id,
                           std::exp2(champion->entry.objective));
}

std::string examination_text(const RunReader& reader, std::uint64_t ticket) {
  const auto examined = reader.examination(ticket);
  if (!examined) return "not examined again\n";
  if (!examined->measured()) {
    return fmt::format("examined again: {}: {}\n", name(examined->kind), examined->message);
  }
  return fmt::format("examined again: {}, holdouts correct\n",
                     speedup_text(examined->fitness, examined->fitness_interval));
}

}  // namespace

std::string candidate_text(const RunReader& reader, const Report& run, const SettledRow& row) {
  std::string out =
      fmt::format("{}  #{}\n{} {} {}\nmade by {}\n\n", row.candidate.hex(), row.ticket,
                  row.source->file(), row.assignment, row.options, row.op);
  out += outcome_text(row.outcome) + standing_text(run, row) + examination_text(reader, row.ticket);
  if (!row.outcome.features.empty()) out += "\nfeatures\n";
  for (const auto& [name, value] : row.outcome.features.items()) {
    out += fmt::format("  {:<20} {}\n", name, value_text(value));
  }
  const auto line = lineage(reader, row);
  out += "\nlineage\n";
  for (const SettledRow& each : line) {
    out += fmt::format("  #{:<6} {:<18} {:>8}  {} {}\n", each.ticket, each.op,
                       each.outcome.measured() ? fmt::format("{:.2f}x", each.outcome.speedup())
                                               : std::string(name(each.outcome.kind)),
                       each.assignment, each.options);
  }
  if (line.size() > 1) {
    out += "\ndifference to its parent\n" +
           text_diff(described_source(line[1]), described_source(row), "parent", "candidate");
  } else {
    out += "\nsource\n" + row.source->text();
  }
  return out;
}

Json candidate_json(const RunReader& reader, const Report& run, const SettledRow& row) {
  const auto finite = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  Json json = {{"id", row.candidate.hex()},
               {"ticket", row.ticket},
               {"operator", row.op},
               {"parents", row.parents},
               {"assignment", row.assignment},
               {"options", row.options},
               {"source", {{"file", row.source->file()}, {"text", row.source->text()}}},
               {"outcome", name(row.outcome.kind)},
               {"stage", name(row.outcome.stage)},
               {"message", row.outcome.message},
               {"detail", row.outcome.detail},
               {"flags", row.outcome.flags},
               {"fitness", finite(row.outcome.fitness)},
               {"speedup", finite(row.outcome.speedup())},
               {"verdict", name(row.verdict.kind)},
               {"cell", row.verdict.cell}};
  json["features"] = features_json(row.outcome.features);
  json["times"] = Json::array();
  for (const WorkloadTime& time : row.outcome.times) {
    json["times"].push_back(
        {{"workload", time.workload},
         {"median_ns", finite(time.median_ns)},
         {"interval_ns",
          {finite(time.median_interval_ns.low), finite(time.median_interval_ns.high)}},
         {"iqr_ns", finite(time.iqr_ns)},
         {"baseline_ns", finite(time.baseline_ns)},
         {"samples", time.samples},
         {"cut", time.cut}});
  }
  json["lineage"] = Json::array();
  for (const SettledRow& each : lineage(reader, row)) json["lineage"].push_back(each.ticket);
  const archives::Elite* champion =
      row.verdict.kind == Verdict::Kind::none ? nullptr : run.archive->champion(row.verdict.cell);
  json["holds_cell"] = champion != nullptr && champion->entry.id == row.ticket;
  return json;
}

}  // namespace kernatlas
