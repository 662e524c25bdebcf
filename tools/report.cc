#include "tools/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/search/search.h"

namespace kernatlas {

using Json = nlohmann::ordered_json;

std::string speedup_text(double fitness, const Interval& interval) {
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}]", std::exp2(fitness), std::exp2(interval.low),
                     std::exp2(interval.high));
}

std::string baselines_to_json(const std::vector<BaselineTime>& baselines) {
  Json list = Json::array();
  for (const BaselineTime& each : baselines) {
    // JSON has no NaN: an unmeasured workload is null.
    Json times = Json::array();
    for (const double ns : each.median_ns) times.push_back(std::isfinite(ns) ? Json(ns) : Json());
    list.push_back({{"name", each.name}, {"median_ns", times}, {"unavailable", each.unavailable}});
  }
  return list.dump();
}

std::vector<BaselineTime> baselines_from_json(const std::string& text) {
  std::vector<BaselineTime> baselines;
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return baselines;
  for (const Json& each : list) {
    if (!each.is_object()) continue;
    BaselineTime baseline;
    baseline.name = each.value("name", "");
    baseline.unavailable = each.value("unavailable", "");
    for (const Json& ns : each.value("median_ns", Json::array())) {
      baseline.median_ns.push_back(ns.is_number() ? ns.get<double>()
                                                  : std::numeric_limits<double>::quiet_NaN());
    }
    baselines.push_back(std::move(baseline));
  }
  return baselines;
}

double baseline_speedup(const BaselineTime& first, const BaselineTime& other) {
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < std::min(first.median_ns.size(), other.median_ns.size()); ++i) {
    const double log_ratio = std::log2(first.median_ns[i] / other.median_ns[i]);
    if (!std::isfinite(log_ratio)) continue;
    sum += log_ratio;
    ++count;
  }
  return count > 0 ? std::exp2(sum / count) : std::numeric_limits<double>::quiet_NaN();
}

namespace {

// Reading every record of a long run would take minutes: a few hundred, evenly spread, say the
// same.
void sample_costs(const RunReader& reader, Report& report) {
  constexpr std::uint64_t kSamples = 400;
  const std::uint64_t stride = std::max<std::uint64_t>(1, report.evaluations / kSamples);
  Costs sum;
  for (std::uint64_t ticket = 0; ticket < report.evaluations; ticket += stride) {
    const auto row = reader.row(ticket);
    if (!row) continue;
    const Costs& costs = row->outcome.costs;
    sum.compile_s += costs.compile_s;
    sum.spawn_s += costs.spawn_s;
    sum.verify_s += costs.verify_s;
    sum.time_s += costs.time_s;
    ++report.cost_samples;
  }
  if (report.cost_samples == 0) return;
  const auto count = static_cast<double>(report.cost_samples);
  report.mean_costs = {sum.compile_s / count, sum.spawn_s / count, sum.verify_s / count,
                       sum.time_s / count};
}

}  // namespace

Result<Report> make_report(const RunReader& reader) {
  Report report;
  report.info = reader.info();
  // All counts of one moment: another process may be writing.
  RunReader::Totals totals = reader.totals();
  report.finish = std::move(totals.finish);
  report.elapsed_s = totals.elapsed_s;
  report.evaluations = totals.evaluations;
  report.duplicates = totals.duplicates;
  report.outcomes = std::move(totals.outcomes);
  report.baselines = baselines_from_json(report.info.baselines_json);
  auto archive = rebuild_archive(reader);
  if (!archive) return fail(archive.error());
  report.archive = *std::move(archive);
  for (const std::size_t cell : report.archive->occupied()) {
    const archives::Elite& elite = *report.archive->champion(cell);
    auto row = reader.row(elite.entry.id);
    if (!row) {
      return fail({.code = ErrorCode::internal,
                   .message = fmt::format("elite {} is not in the run database", elite.entry.id)});
    }
    report.elites.push_back({elite, *std::move(row), report.archive->cell_text(cell),
                             reader.examination(elite.entry.id)});
  }
  std::sort(report.elites.begin(), report.elites.end(),
            [](const ReportedElite& a, const ReportedElite& b) {
              if (a.elite.entry.objective != b.elite.entry.objective) {
                return a.elite.entry.objective > b.elite.entry.objective;
              }
              return a.elite.entry.id < b.elite.entry.id;
            });
  report.examination = summarise_examinations(*report.archive, reader);
  sample_costs(reader, report);
  return report;
}

namespace {

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

}  // namespace

Json features_json(const Features& features) {
  Json json = Json::object();
  for (const auto& [name, value] : features.items()) {
    if (const double* numeric = std::get_if<double>(&value)) {
      json[name] = number(*numeric);
    } else {
      json[name] = std::get<std::string>(value);
    }
  }
  return json;
}

namespace {

Json elite_json(const Report& report, const ReportedElite& each) {
  Json cell = Json::object();
  for (std::size_t i = 0; i < each.cell_text.size(); ++i) {
    cell[report.archive->axes()[i].name()] = each.cell_text[i];
  }
  const Outcome& outcome = each.row.outcome;
  Json json = {
      {"id", each.row.candidate.hex()},
      {"ticket", each.row.ticket},
      {"cell", {{"index", each.elite.cell}, {"bins", cell}}},
      {"features", features_json(outcome.features)},
      {"fitness", number(outcome.fitness)},
      {"speedup", number(outcome.speedup())},
      {"interval",
       {number(std::exp2(outcome.fitness_interval.low)),
        number(std::exp2(outcome.fitness_interval.high))}},
      {"samples", outcome.samples()},
      {"operator", each.row.op},
      {"parents", each.row.parents},
      {"source", each.row.source->file()},
      {"assignment", each.row.assignment},
      {"options", each.row.options},
  };
  if (each.examination) {
    json["examined"] = {{"outcome", name(each.examination->kind)},
                        {"speedup", number(each.examination->speedup())}};
  }
  return json;
}

}  // namespace

Json report_json(const Report& report) {
  Json outcomes = Json::object();
  for (const auto& [kind, count] : report.outcomes) outcomes[std::string(name(kind))] = count;
  const archives::Stats& stats = report.archive->stats();
  Json json = {
      {"task", report.info.task},
      {"backend", report.info.backend},
      {"policy", report.info.policy},
      {"seed", report.info.seed},
      {"contract", report.info.contract},
      {"elapsed_s", report.elapsed_s},
      {"evaluations", report.evaluations},
      {"outcomes", outcomes},
      {"duplicates", report.duplicates},
      {"archive",
       {{"kind", report.archive->kind()},
        {"cells", stats.cells},
        {"occupied", stats.occupied},
        {"coverage", number(stats.coverage)},
        {"qd_score", number(stats.qd_score)},
        {"examined", report.examination.examined},
        {"examined_failed", report.examination.failed},
        {"examined_raw_qd_score", report.examination.raw_qd_score},
        {"examined_corrected_qd_score", report.examination.corrected_qd_score}}},
      {"costs",
       {{"samples", report.cost_samples},
        {"compile_s", report.mean_costs.compile_s},
        {"spawn_s", report.mean_costs.spawn_s},
        {"verify_s", report.mean_costs.verify_s},
        {"time_s", report.mean_costs.time_s}}},
      {"best", nullptr},
      {"elites", Json::array()},
      {"baselines", Json::parse(baselines_to_json(report.baselines))},
      {"finished", report.finish.reason.empty() ? Json() : Json(report.finish.reason)},
  };
  for (const ReportedElite& each : report.elites) {
    json["elites"].push_back(elite_json(report, each));
  }
  if (!report.elites.empty()) json["best"] = json["elites"].front();
  return json;
}

namespace {

std::string baselines_text(const Report& report) {
  std::string out;
  for (const BaselineTime& each : report.baselines) {
    if (!each.unavailable.empty()) {
      out += fmt::format("  {:<28} unavailable: {}\n", each.name, each.unavailable);
    } else {
      out += fmt::format("  {:<28} {:.2f}x\n", each.name,
                         baseline_speedup(report.baselines.front(), each));
    }
  }
  return out.empty() ? out : "baselines (speed-up over the first)\n" + out;
}

std::string best_text(const Report& report) {
  if (report.elites.empty()) return "no correct kernel found\n";
  const ReportedElite& best = report.elites.front();
  std::string out = fmt::format(
      "best    {}  {}  {} samples  {} {} {}\n", best.row.candidate.short_hex(),
      speedup_text(best.row.outcome.fitness, best.row.outcome.fitness_interval),
      best.row.outcome.samples(), best.row.source->file(), best.row.assignment, best.row.options);
  if (best.examination && best.examination->measured()) {
    out += fmt::format("        examined again: {}, holdouts correct\n",
                       speedup_text(best.examination->fitness, best.examination->fitness_interval));
  } else if (best.examination) {
    out += fmt::format("        examined again: {}: {}\n", name(best.examination->kind),
                       best.examination->message);
  }
  return out;
}

}  // namespace

std::string summary_text(const Report& report) {
  const archives::Stats& stats = report.archive->stats();
  std::string out =
      fmt::format("{} on {}: {}\n", report.info.task, report.info.backend, report.info.contract);
  out += fmt::format(
      "{} evaluations in {:.1f} s, {} duplicates; policy {}, seed {}; {}\n", report.evaluations,
      report.elapsed_s, report.duplicates, report.info.policy, report.info.seed,
      report.finish.reason.empty() ? "not finished" : "ended: " + report.finish.reason);
  out += " ";
  for (const auto& [kind, count] : report.outcomes) out += fmt::format(" {} {}", name(kind), count);
  out += fmt::format("\narchive {} of {} cells, coverage {:.3f}, QD score {:.2f}\n", stats.occupied,
                     stats.cells, stats.coverage, stats.qd_score);
  if (report.examination.examined > 0) {
    out += fmt::format(
        "        {} elites examined again: QD score {:.2f} measured, {:.2f} corrected, {} failed\n",
        report.examination.examined, report.examination.raw_qd_score,
        report.examination.corrected_qd_score, report.examination.failed);
  }
  if (report.mean_costs.total_s() > 0) {
    const Costs& mean = report.mean_costs;
    out += fmt::format(
        "costs   {:.2f} s an evaluation: compile {:.2f}, start {:.2f}, verify {:.2f}, time "
        "{:.2f}\n",
        mean.total_s(), mean.compile_s, mean.spawn_s, mean.verify_s, mean.time_s);
  }
  return out + best_text(report) + baselines_text(report);
}

std::string elites_text(const Report& report, std::size_t rows) {
  std::string out =
      fmt::format("{:<12}  {:<22}  {:<18}  {}\n", "id", "speed-up", "operator", "cell, source");
  for (std::size_t i = 0; i < std::min(rows, report.elites.size()); ++i) {
    const ReportedElite& each = report.elites[i];
    std::string cell;
    for (const std::string& text : each.cell_text) cell += (cell.empty() ? "" : " · ") + text;
    out += fmt::format(
        "{:<12}  {:<22}  {:<18}  {}\n{:36}{} {} {}\n", each.row.candidate.short_hex(),
        speedup_text(each.row.outcome.fitness, each.row.outcome.fitness_interval), each.row.op,
        cell, "", each.row.source->file(), each.row.assignment, each.row.options);
  }
  if (report.elites.size() > rows) {
    out += fmt::format("… and {} more (--rows)\n", report.elites.size() - rows);
  }
  return out;
}

}  // namespace kernatlas
