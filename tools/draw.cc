// kernatlas draw: an archive as a picture, a film of pictures, or curves over evaluations.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "archives/atlas.h"
#include "archives/drawing/curves.h"
#include "archives/drawing/drawing.h"
#include "tools/atlas_input.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/paths.h"
#include "tools/run_history.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

using archives::Archive;
using archives::DrawingOptions;

struct DrawFlags {
  std::vector<std::string> inputs;
  std::string as = "map";
  std::string out;
  std::string title;
  std::string over_seeds;
  std::optional<double> low;
  std::optional<double> high;
  std::optional<std::uint64_t> at;
  std::uint64_t every = 0;
};

Error usage(std::string message, std::string hint = {}) {
  return {.message = std::move(message), .hint = std::move(hint)};
}

std::string speedup(double fitness) {
  const double factor = std::exp2(fitness);
  return std::isfinite(factor) && factor > 0 ? fmt::format("{:.3g}×", factor)
                                             : fmt::format("2^{:.4g}×", fitness);
}

Result<std::string> drawing(const DrawFlags& flags, const Archive& archive,
                            const DrawingOptions& options) {
  const auto drawn = flags.as == "map"     ? archives::draw_heat_map(archive, options)
                     : flags.as == "cells" ? archives::draw_cells(archive, options)
                                           : archives::draw_parallel_axes(archive, options);
  if (!drawn) return fail({.message = drawn.error(), .file = flags.inputs.front()});
  return *drawn;
}

Result<RunHistory> read_history(const std::string& run) {
  const auto reader = RunReader::open(run);
  if (!reader) return fail(reader.error());
  return RunHistory::read(**reader);
}

DrawingOptions run_options(const DrawFlags& flags, const RunHistory& history) {
  return {.title = flags.title,
          .objective = "speed-up over the plain baseline",
          .objective_text = speedup,
          .elite_text =
              [&history](const archives::Elite& elite) {
                return history.candidate_text(elite.entry.id);
              },
          .low = flags.low,
          .high = flags.high};
}

std::string moment_title(const DrawFlags& flags, const RunHistory& history, std::uint64_t moment) {
  if (!flags.title.empty()) return flags.title;
  return fmt::format("{} on {}: after {} evaluations", history.info().task, history.info().backend,
                     std::min(moment, history.evaluations()));
}

Result<void> draw_moment(const DrawFlags& flags, const RunHistory& history) {
  const std::uint64_t moment = flags.at.value_or(history.evaluations());
  return history.replay({moment}, [&](std::uint64_t, const Archive& archive) -> Result<void> {
    DrawingOptions options = run_options(flags, history);
    options.title = moment_title(flags, history, moment);
    const auto picture = drawing(flags, archive, options);
    if (!picture) return fail(picture.error());
    return write_text(flags.out, *picture);
  });
}

// Colours must mean the same in all frames: the ends are those of the whole film.
Result<void> fix_scale(const RunHistory& history, const std::vector<std::uint64_t>& moments,
                       DrawingOptions& options) {
  double low = INFINITY;
  double high = -INFINITY;
  const auto seen = history.replay(moments, [&](std::uint64_t, const Archive& archive) {
    for (const std::size_t cell : archive.occupied()) {
      low = std::min(low, archive.champion(cell)->entry.objective);
      high = std::max(high, archive.champion(cell)->entry.objective);
    }
    return Result<void>();
  });
  if (!seen) return seen;
  if (low > high) return {};
  if (!options.low) options.low = low;
  if (!options.high) options.high = high;
  return {};
}

Result<void> draw_film(const DrawFlags& flags, const RunHistory& history) {
  constexpr std::uint64_t kMostFrames = 100000;
  const std::uint64_t last =
      std::min(flags.at.value_or(history.evaluations()), history.evaluations());
  if (last / flags.every >= kMostFrames) {
    return fail(
        usage(fmt::format("{} frames are too many", last / flags.every), "a larger --every"));
  }
  std::vector<std::uint64_t> moments;
  for (std::uint64_t moment = flags.every; moment < last; moment += flags.every) {
    moments.push_back(moment);
  }
  moments.push_back(last);
  DrawingOptions options = run_options(flags, history);
  if (auto fixed = fix_scale(history, moments, options); !fixed) return fixed;
  std::error_code error;
  // Frames of an older film would mix with these.
  if (fs::exists(flags.out, error) && !fs::is_empty(flags.out, error)) {
    return fail({.message = "exists and is not empty",
                 .file = flags.out,
                 .hint = "choose another --out, or remove it"});
  }
  fs::create_directories(flags.out, error);
  if (error) return fail({.code = ErrorCode::io, .message = error.message(), .file = flags.out});
  std::size_t frame = 0;
  return history.replay(moments, [&](std::uint64_t moment, const Archive& archive) -> Result<void> {
    options.title = moment_title(flags, history, moment);
    const auto picture = drawing(flags, archive, options);
    if (!picture) return fail(picture.error());
    return write_text(fs::path(flags.out) / fmt::format("frame-{:06}.svg", ++frame), *picture);
  });
}

// Whether the elites are kernels, whose objectives are log2 of a speed-up.
bool holds_kernels(const archives::Atlas& atlas) {
  if (atlas.records.empty()) return false;
  const auto payload = archives::unpack(atlas.records.front().payload, atlas.blobs);
  return payload.contains("language") && payload.contains("assignment");
}

Result<void> draw_atlas(const DrawFlags& flags) {
  const std::string& file = flags.inputs.front();
  const auto atlas = archives::load_atlas(file);
  if (!atlas) return fail(to_error(atlas.error()));
  const auto archive = archives::builtin_kinds().restore(atlas->state);
  if (!archive) return fail({.message = archive.error(), .file = file});
  std::unordered_map<std::uint64_t, std::string> keys;
  for (std::size_t i = 0; i < atlas->records.size(); ++i) {
    keys.emplace(atlas->state.elites[i].entry.id, atlas->records[i].key);
  }
  DrawingOptions options{
      .title = !flags.title.empty()     ? flags.title
               : atlas->subject.empty() ? fs::path(file).filename().string()
                                        : atlas->subject,
      .elite_text = [&keys](const archives::Elite& elite) { return keys.at(elite.entry.id); },
      .low = flags.low,
      .high = flags.high};
  if (holds_kernels(*atlas)) {
    options.objective = "speed-up over the plain baseline";
    options.objective_text = speedup;
  }
  const auto picture = drawing(flags, **archive, options);
  if (!picture) return fail(picture.error());
  return write_text(flags.out, *picture);
}

// The run's last folder, or all of its path where another run has the same.
std::string curve_name(const std::vector<std::string>& runs, const std::string& run) {
  const auto last = [](const std::string& path) {
    const fs::path plain = fs::path(path).lexically_normal();
    return (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  };
  const auto same = std::count_if(runs.begin(), runs.end(),
                                  [&](const std::string& each) { return last(each) == last(run); });
  return same == 1 ? last(run) : run;
}

Result<archives::QdCurves> curves_of(const std::string& run, std::string name) {
  const auto history = read_history(run);
  if (!history) return fail(history.error());
  archives::QdCurves curves(std::move(name));
  curves.add(0, archives::Stats());
  const auto replayed = history->replay([&](std::uint64_t moment, const Archive& archive) {
    curves.add(static_cast<double>(moment), archive.stats());
    return Result<void>();
  });
  if (!replayed) return fail(replayed.error());
  curves.finish(static_cast<double>(history->evaluations()));
  return curves;
}

Result<void> draw_run_curves(const DrawFlags& flags) {
  std::vector<archives::CurvePanel> panels{
      {.title = "QD score", .curves = {}},
      {.title = "coverage (share of all cells)", .curves = {}},
      {.title = "best speed-up over the plain baseline", .curves = {}, .value_text = speedup}};
  for (const std::string& run : flags.inputs) {
    const auto curves = curves_of(run, curve_name(flags.inputs, run));
    if (!curves) return fail(curves.error());
    panels[0].curves.push_back(curves->qd_score());
    panels[1].curves.push_back(curves->coverage());
    panels[2].curves.push_back(curves->best());
  }
  if (!flags.over_seeds.empty()) {
    const auto band =
        flags.over_seeds == "quartiles" ? archives::Band::quartiles : archives::Band::min_max;
    const std::string name =
        fmt::format("median of {} runs, {}", flags.inputs.size(),
                    band == archives::Band::quartiles ? "band from the lower to the upper quartile"
                                                      : "band from the least to the greatest");
    for (auto& panel : panels) panel.curves = {archives::median_curve(name, panel.curves, band)};
  }
  const auto picture = archives::draw_curves(
      panels, {.title = flags.title.empty() ? "Progress of the search" : flags.title});
  if (!picture) return fail({.message = picture.error()});
  return write_text(flags.out, *picture);
}

Result<void> check(const DrawFlags& flags) {
  const bool curve = flags.as == "curve";
  if (!curve && flags.inputs.size() > 1) {
    return fail(usage("several inputs are drawn as curves only", "--as curve"));
  }
  if (curve && (flags.low || flags.high || flags.at || flags.every > 0)) {
    return fail(usage("--low, --high, --at and --every have no meaning for curves"));
  }
  if (!curve && !flags.over_seeds.empty()) {
    return fail(usage("--over-seeds is for curves", "--as curve"));
  }
  for (const auto& end : {flags.low, flags.high}) {
    if (end && !std::isfinite(*end)) return fail(usage("an end of the colours is not finite"));
  }
  if (flags.low && flags.high && !(*flags.low < *flags.high)) {
    return fail(usage("--low must be below --high"));
  }
  for (const std::string& input : flags.inputs) {
    if (is_run(input)) continue;
    if (curve || flags.at || flags.every > 0) {
      return fail(
          {.message = "has no history: only a run directory remembers how it grew", .file = input});
    }
  }
  return {};
}

Result<void> draw_input(const DrawFlags& flags) {
  if (auto fine = check(flags); !fine) return fine;
  if (flags.as == "curve") return draw_run_curves(flags);
  if (!is_run(flags.inputs.front())) return draw_atlas(flags);
  const auto history = read_history(flags.inputs.front());
  if (!history) return fail(history.error());
  return flags.every > 0 ? draw_film(flags, *history) : draw_moment(flags, *history);
}

int draw(const DrawFlags& flags) {
  if (auto done = draw_input(flags); !done) return report(done.error());
  fmt::print("drew {}\n", flags.out);
  return kExitDone;
}

}  // namespace

void add_draw_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<DrawFlags>();
  CLI::App* command = app.add_subcommand("draw", "Draw an archive, or how it grew, as SVG");
  command
      ->add_option("input", flags->inputs, "Run directory or atlas file; for curves several runs")
      ->required();
  command
      ->add_option("--as", flags->as,
                   "map: heat map of a grid; cells: Voronoi cells of one or two axes; parallel: a "
                   "line for every elite through all axes; curve: QD score, coverage and best over "
                   "evaluations")
      ->check(CLI::IsMember({"map", "cells", "parallel", "curve"}))
      ->capture_default_str();
  command->add_option("-o,--out", flags->out, "SVG file, with --every a folder")->required();
  command->add_option("--title", flags->title, "Instead of the task's name and the moment");
  command->add_option("--low", flags->low,
                      "Objective (log2 of the speed-up) at the pale end of the colours");
  command->add_option("--high", flags->high, "The same at the dark end");
  command->add_option("--at", flags->at, "The archive as it was after so many evaluations");
  command
      ->add_option("--every", flags->every,
                   "A film: one picture every so many evaluations, all in the same colours")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--over-seeds", flags->over_seeds,
                   "Curves: the runs are seeds of one search; draw their median with this band")
      ->check(CLI::IsMember({"min-max", "quartiles"}));
  command->callback([flags, &exit_code] { exit_code = draw(*flags); });
}

}  // namespace kernatlas
