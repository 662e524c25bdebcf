// What `show` and the end of a run say about a run: gathered once, printed as text or as JSON
// (docs/formats/show-json.md).
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "archives/archive.h"
#include "backends/backend.h"
#include "engine/search/examination.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"

namespace kernatlas {

struct ReportedElite {
  archives::Elite elite;
  SettledRow row;
  std::vector<std::string> cell_text;
  std::optional<Outcome> examination;
};

struct Report {
  RunInfo info;
  Finish finish;
  double elapsed_s = 0;
  std::uint64_t evaluations = 0;
  std::uint64_t duplicates = 0;
  std::vector<std::pair<OutcomeKind, std::uint64_t>> outcomes;
  std::unique_ptr<archives::Archive> archive;
  std::vector<ReportedElite> elites;  // best first
  std::vector<BaselineTime> baselines;
  ExaminationSummary examination;
  Costs mean_costs;  // per evaluation, over cost_samples rows spread over the run
  std::size_t cost_samples = 0;
};

[[nodiscard]] Result<Report> make_report(const RunReader& reader);

[[nodiscard]] nlohmann::ordered_json report_json(const Report& report);
[[nodiscard]] nlohmann::ordered_json features_json(const Features& features);
// The run in a dozen lines.
[[nodiscard]] std::string summary_text(const Report& report);
// The elites as a table, best first, at most `rows`.
[[nodiscard]] std::string elites_text(const Report& report, std::size_t rows);

// "3.42x [3.39, 3.45]".
[[nodiscard]] std::string speedup_text(double fitness, const Interval& interval);

[[nodiscard]] std::string baselines_to_json(const std::vector<BaselineTime>& baselines);
[[nodiscard]] std::vector<BaselineTime> baselines_from_json(const std::string& json);
// Geometric mean over workloads of (first baseline's time / this one's); NaN when it could not run.
[[nodiscard]] double baseline_speedup(const BaselineTime& first, const BaselineTime& other);

}  // namespace kernatlas
