// kernatlas export: an elite as a file that can be used without the search engine.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "archives/operations/tables.h"
#include "tools/atlas_input.h"
#include "tools/candidate_report.h"
#include "tools/commands.h"
#include "tools/cpp_export.h"
#include "tools/exit_code.h"
#include "tools/kernel_check.h"
#include "tools/paths.h"
#include "tools/report.h"
#include "tools/run_directory.h"
#include "tools/session.h"
#include "tools/signals.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

struct ExportFlags {
  std::string run;
  std::string id = "best";
  std::string to = "kernel";
  std::string out;
  bool unverified = false;
  bool force = false;
};

struct Chosen {
  SettledRow row;
  Candidate candidate;
  std::shared_ptr<const Task> task;
  BenchSettings settings;
  std::optional<Outcome> examination;
};

Result<Chosen> choose(const ExportFlags& flags) {
  const auto reader = RunReader::open(flags.run);
  if (!reader) return fail(reader.error());
  const auto run = make_report(**reader);
  if (!run) return fail(run.error());
  const auto ticket = resolve_candidate(**reader, *run, flags.id);
  if (!ticket) return fail(ticket.error());
  const auto row = (*reader)->row(*ticket);
  if (!row) return fail({.code = ErrorCode::internal, .message = "the candidate has no row"});
  if (!row->outcome.measured()) {
    return fail({.message = fmt::format("{} is no working kernel: {}", row->candidate.short_hex(),
                                        name(row->outcome.kind)),
                 .expected = "a candidate that was measured"});
  }
  const auto settings = BenchSettings::from_json(run->info.parameters_json);
  if (!settings) return fail(settings.error());
  const auto options = tunables_from_json(run->info.options_json);
  if (!options) return fail(options.error());
  const auto candidate = candidate_of(*row, *options);
  if (!candidate) return fail(candidate.error());
  const auto task = load_run_task(flags.run, run->info, *settings);
  if (!task) return fail(task.error());
  return Chosen{*row, *candidate, *task, *settings, (*reader)->examination(*ticket)};
}

// The gate: nothing leaves that is wrong on a size the search never saw.
Result<Outcome> examined(const Chosen& chosen) {
  if (chosen.examination && chosen.examination->measured()) return *chosen.examination;
  fmt::print(stderr, "examining it on the holdout workloads first\n");
  const BackendRegistry backends = default_backends();
  auto bench = open_bench(backends, chosen.task, chosen.settings, 0, false);
  if (!bench) return fail(bench.error());
  const auto compiled = (*bench)->compiler().compile(chosen.candidate);
  if (!compiled) return compiled.error();
  return (*bench)->evaluators().front()->examine(chosen.candidate, **compiled, chosen.row.ticket);
}

std::string note_text(const Chosen& chosen) {
  return fmt::format(
      "# {} for {}\n\nKernel `{}` with tunables `{}` and compile options `{}`.\nSpeed-up over the "
      "plain "
      "baseline when measured: {}.\nMeasured on: {}.\n\n`make run` checks it against float64 and "
      "times it "
      "beside the baseline, on every workload.\n",
      chosen.row.candidate.short_hex(), chosen.task->name,
      fs::path(chosen.row.source->file()).filename().string(), chosen.row.assignment,
      chosen.row.options.empty() ? "default" : chosen.row.options,
      speedup_text(chosen.row.outcome.fitness, chosen.row.outcome.fitness_interval),
      chosen.row.outcome.device);
}

Result<void> export_kernel(const Chosen& chosen, const fs::path& out) {
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return fail({.code = ErrorCode::io, .message = error.message(), .file = out.string()});
  const fs::path file = out / fs::path(chosen.row.source->file()).filename();
  if (fs::exists(file, error)) {
    return fail(
        {.message = "exists already", .file = file.string(), .hint = "choose another --out"});
  }
  if (auto written = write_text(file, chosen.row.source->text()); !written) return written;
  return write_text(out / "README.md", note_text(chosen));
}

bool is_archive_target(const std::string& to) {
  return to == "json" || to == "csv" || to == "npz" || to == "atlas";
}

// The whole archive, of a run or of an atlas file.
int export_archive(const ExportFlags& flags) {
  fs::path out = flags.out;
  if (out.empty())
    out = fs::path(flags.run).lexically_normal().filename().string() + "." + flags.to;
  if (auto fine = check_free(out, flags.force); !fine) return report(fine.error());
  const auto atlas = open_atlas(flags.run);
  if (!atlas) return report(atlas.error());
  Result<void> done;
  if (flags.to == "atlas") {
    done = save(out, *atlas, flags.force);
  } else if (flags.to == "npz") {
    if (auto saved = archives::save_npz(out, *atlas); !saved) done = fail(to_error(saved.error()));
  } else {
    done =
        write_text(out, flags.to == "json" ? archives::to_json(*atlas) : archives::to_csv(*atlas));
  }
  if (!done) return report(done.error());
  fmt::print("{}: {}\n", out.string(), atlas_text(*atlas));
  return kExitDone;
}

int export_candidate(const ExportFlags& flags) {
  catch_interrupts();
  if (is_archive_target(flags.to)) return export_archive(flags);
  const auto chosen = choose(flags);
  if (!chosen) return report(chosen.error());
  if (!flags.unverified) {
    const auto outcome = examined(*chosen);
    if (!outcome) return report(outcome.error());
    if (!outcome->measured()) {
      fmt::print(stderr,
                 "kernatlas: not exported: {}: {}\n  hint: --unverified exports it all the same\n",
                 name(outcome->kind), outcome->message);
      return kExitNothingCorrect;
    }
  }
  const fs::path out = flags.out.empty() ? chosen->row.candidate.short_hex() : flags.out;
  const auto done = flags.to == "cpp"
                        ? export_cpp(*chosen->task, chosen->candidate, out, note_text(*chosen))
                        : export_kernel(*chosen, out);
  if (!done) return report(done.error());
  fmt::print("exported {} to {}\n", chosen->row.candidate.short_hex(), out.string());
  return kExitDone;
}

}  // namespace

void add_export_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* command =
      app.add_subcommand("export", "Write an elite, or a whole archive, for other programs");
  command->add_option("run", flags->run, "Run directory; for whole archives also an atlas file")
      ->required();
  command->add_option("id", flags->id, "Candidate: \"best\", hex digits of its id, or #TICKET")
      ->capture_default_str();
  command
      ->add_option("--to", flags->to,
                   "One elite: kernel, the source file; cpp, a program that times it. The whole "
                   "archive: json, csv, npz (NumPy), atlas")
      ->check(CLI::IsMember({"kernel", "cpp", "json", "csv", "npz", "atlas"}))
      ->capture_default_str();
  command->add_option("-o,--out", flags->out,
                      "Folder or file to write (default: the candidate's id; RUN.json, …)");
  command->add_flag("--force", flags->force, "Replace an existing file (whole archives)");
  command->add_flag("--unverified", flags->unverified, "Skip the check on the holdout workloads");
  command->callback([flags, &exit_code] { exit_code = export_candidate(*flags); });
}

}  // namespace kernatlas
