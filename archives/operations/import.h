// Import: what other quality-diversity programs saved, as an atlas.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "archives/atlas.h"
#include "archives/registry.h"

namespace kernatlas::archives {

struct ImportOptions {
  std::string subject;
  // Objectives were measured by somebody else: a contract of their own keeps them apart.
  std::string contract;
  // The archive to fill. Foreign files do not say how their axes were cut.
  ArchiveSpec spec;
};

struct Imported {
  Atlas atlas;
  std::size_t read = 0;
  std::size_t skipped = 0;  // without an objective or a measure that the axes need
  std::size_t refused = 0;  // out of the range of an axis that rejects
};

// A pyribs archive as CSV (ArchiveDataFrame.to_csv). Columns: `objective`; `measures_0` … (older
// files: `measure_0`, `behavior_0`), the i-th for the i-th axis; `solution` or `solution_0` …, from
// which the key is made. Every column becomes a payload value. Costs what the file is large.
[[nodiscard]] Expected<Imported> import_pyribs(const std::filesystem::path& csv,
                                               const ImportOptions& options,
                                               const ArchiveKinds& kinds);

// A checkpoint folder of OpenEvolve: metadata.json, programs/*.json. The objective is the metric
// `combined_score`, else the mean of the metrics that are no axis. An axis is named after a metric,
// or is `complexity` or `diversity`. The program's code is payload value `source`.
[[nodiscard]] Expected<Imported> import_openevolve(const std::filesystem::path& folder,
                                                   const ImportOptions& options,
                                                   const ArchiveKinds& kinds);

}  // namespace kernatlas::archives
