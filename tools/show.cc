// kernatlas show: a run's summary, its archive, and single candidates.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/candidate_report.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/heat_map.h"
#include "tools/report.h"

namespace kernatlas {

namespace {

struct ShowFlags {
  std::string run;
  std::string id;
  bool json = false;
  std::size_t rows = 12;
};

int show_candidate(const RunReader& reader, const Report& run, const ShowFlags& flags) {
  const auto ticket = resolve_candidate(reader, run, flags.id);
  if (!ticket) return report(ticket.error());
  const auto row = reader.row(*ticket);
  if (!row) {
    return report({.code = ErrorCode::internal,
                   .message = fmt::format("ticket {} is not in the run database", *ticket)});
  }
  if (flags.json) {
    fmt::print("{}\n", candidate_json(reader, run, *row)
                           .dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  } else {
    fmt::print("{}", candidate_text(reader, run, *row));
  }
  return kExitDone;
}

int show(const ShowFlags& flags) {
  const auto reader = RunReader::open(flags.run);
  if (!reader) return report(reader.error());
  const auto run = make_report(**reader);
  if (!run) return report(run.error());
  if (!flags.id.empty()) return show_candidate(**reader, *run, flags);
  if (flags.json) {
    fmt::print("{}\n",
               report_json(*run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    return kExitDone;
  }
  const Palette palette = isatty(STDOUT_FILENO) != 0 ? Palette::colour : Palette::plain;
  fmt::print("{}\n{}\n{}", summary_text(*run), elites_text(*run, flags.rows),
             heat_map(*run->archive, palette));
  return kExitDone;
}

}  // namespace

void add_show_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* command = app.add_subcommand("show", "Show a run, its archive, or one candidate");
  command->add_option("run", flags->run, "Run directory")->required();
  command->add_option("id", flags->id, "Candidate: \"best\", hex digits of its id, or #TICKET");
  command->add_option("--rows", flags->rows, "Elites in the table")->capture_default_str();
  command->add_flag("--json", flags->json, "As JSON (docs/formats/show-json.md)");
  command->callback([flags, &exit_code] { exit_code = show(*flags); });
}

}  // namespace kernatlas
