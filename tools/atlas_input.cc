#include "tools/atlas_input.h"

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/search/search.h"
#include "tools/report.h"

namespace kernatlas {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

Error to_error(const archives::AtlasError& error) {
  using Kind = archives::AtlasError::Kind;
  const ErrorCode code = error.kind == Kind::io     ? ErrorCode::io
                         : error.kind == Kind::busy ? ErrorCode::locked
                                                    : ErrorCode::bad_input;
  return {.code = code,
          .message = error.offset ? fmt::format("byte {}: {}", *error.offset, error.message)
                                  : error.message,
          .file = error.file,
          .expected = error.expected,
          .hint = error.hint};
}

bool is_run(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

Result<archives::Atlas> open_atlas(const fs::path& run_or_file) {
  if (is_run(run_or_file)) {
    const auto reader = RunReader::open(run_or_file);
    if (!reader) return fail(reader.error());
    return atlas_of_run(**reader);
  }
  auto atlas = archives::load_atlas(run_or_file);
  if (!atlas) return fail(to_error(atlas.error()));
  return std::move(*atlas);
}

archives::Atlas atlas_frame(const RunReader& reader) {
  const RunInfo info = reader.info();
  archives::Atlas atlas;
  atlas.subject = info.task;
  atlas.contract = fmt::format("{}; task {}; kernatlas {}", info.contract,
                               info.task_hash.substr(0, 12), info.program_version);
  atlas.context = {{"backend", info.backend},
                   {"compile_options", info.options_json},
                   {"device", info.contract},
                   {"objective", "log2(baseline time / kernel time), mean over the workloads"},
                   {"policy", info.policy},
                   {"program", "kernatlas " + info.program_version},
                   {"settings", info.parameters_json},
                   {"task_hash", info.task_hash}};
  atlas.provenance = {{{"backend", info.backend},
                       {"created_unix", std::to_string(info.created_unix)},
                       {"evaluations", std::to_string(reader.evaluations())},
                       {"policy", info.policy},
                       {"seed", std::to_string(info.seed)},
                       {"task", info.task}}};
  return atlas;
}

namespace {

archives::AtlasRecord record_of(const RunReader& reader, const SettledRow& row,
                                archives::BlobTable& blobs) {
  archives::PayloadMap payload{
      {"source", row.source->text()},
      {"language", std::string(name(row.source->language()))},
      {"file", fs::path(row.source->file()).filename().string()},
      {"assignment", row.assignment},
      {"operator", row.op},
      {"features", features_json(row.outcome.features)
                       .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)}};
  if (!row.options.empty()) payload["options"] = row.options;
  std::string parents;
  for (const std::uint64_t ticket : row.parents) {
    const auto parent = reader.row(ticket);
    if (parent) parents += (parents.empty() ? "" : " ") + parent->candidate.hex();
  }
  if (!parents.empty()) payload["parents"] = parents;
  return {row.candidate.hex(), pack(payload, blobs)};
}

}  // namespace

Result<void> add_records(const RunReader& reader, archives::Atlas& atlas) {
  for (const archives::Elite& elite : atlas.state.elites) {
    const auto row = reader.row(elite.entry.id);
    if (!row) {
      return fail({.code = ErrorCode::internal,
                   .message = fmt::format("elite {} is not in the run database", elite.entry.id)});
    }
    atlas.records.push_back(record_of(reader, *row, atlas.blobs));
  }
  return {};
}

Result<archives::Atlas> atlas_of_run(const RunReader& reader) {
  const auto archive = rebuild_archive(reader);
  if (!archive) return fail(archive.error());
  archives::Atlas atlas = atlas_frame(reader);
  atlas.state = (*archive)->state();
  if (auto added = add_records(reader, atlas); !added) return fail(added.error());
  return atlas;
}

Result<void> check_free(const fs::path& file, bool force) {
  std::error_code ignored;
  if (force || !fs::exists(file, ignored)) return {};
  return fail({.message = "exists already",
               .file = file.string(),
               .hint = "choose another --out, or --force"});
}

Result<void> save(const fs::path& file, const archives::Atlas& atlas, bool force) {
  if (auto fine = check_free(file, force); !fine) return fine;
  if (auto saved = archives::save_atlas(file, atlas); !saved) return fail(to_error(saved.error()));
  return {};
}

std::string atlas_text(const archives::Atlas& atlas) {
  const archives::Stats& stats = atlas.state.counters;
  std::string text = fmt::format("{} elites in {}", atlas.state.elites.size(), stats.occupied);
  text += stats.cells > 0 ? fmt::format(" of {} cells", stats.cells) : " cells";
  text += fmt::format(", QD score {:.4g}", stats.qd_score);
  if (std::isfinite(stats.best)) text += fmt::format(", best {:.4g}", stats.best);
  if (!atlas.proposals.empty()) text += fmt::format(", {} proposals", atlas.proposals.size());
  return text;
}

Json atlas_json(const archives::Atlas& atlas) {
  const archives::Stats& stats = atlas.state.counters;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(); };
  return {{"subject", atlas.subject},
          {"contract", atlas.contract},
          {"elites", atlas.state.elites.size()},
          {"cells", stats.cells},
          {"occupied", stats.occupied},
          {"qd_score", number(stats.qd_score)},
          {"best", number(stats.best)},
          {"proposals", atlas.proposals.size()}};
}

}  // namespace kernatlas
