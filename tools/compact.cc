// kernatlas compact: an archive without what its reader does not need.
#include "archives/operations/compact.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/atlas_input.h"
#include "tools/commands.h"
#include "tools/exit_code.h"

namespace kernatlas {

namespace {

struct CompactFlags {
  std::string archive;
  std::string out;
  std::size_t depth = 1;
  bool no_proposals = false;
  std::vector<std::string> drop;
  bool force = false;
  bool json = false;
};

int compact_archive(const CompactFlags& flags) {
  if (auto fine = check_free(flags.out, flags.force); !fine) return report(fine.error());
  const auto atlas = open_atlas(flags.archive);
  if (!atlas) return report(atlas.error());
  const auto result = archives::compact(*atlas, {.depth = flags.depth,
                                                 .proposals = !flags.no_proposals,
                                                 .drop = {flags.drop.begin(), flags.drop.end()}});
  if (auto saved = save(flags.out, result.atlas, flags.force); !saved) {
    return report(saved.error());
  }
  if (flags.json) {
    auto json = atlas_json(result.atlas);
    json["dropped_elites"] = result.dropped_elites;
    json["dropped_proposals"] = result.dropped_proposals;
    json["dropped_values"] = result.dropped_values;
    json["out"] = flags.out;
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}: {}\nleft out: {} elites, {} proposals, {} values\n", flags.out,
               atlas_text(result.atlas), result.dropped_elites, result.dropped_proposals,
               result.dropped_values);
  }
  return kExitDone;
}

}  // namespace

void add_compact_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<CompactFlags>();
  CLI::App* command = app.add_subcommand("compact", "Keep an archive's champions only");
  command->add_option("archive", flags->archive, "Run directory or atlas file")->required();
  command->add_option("-o,--out", flags->out, "Atlas file to write")->required();
  command->add_option("--depth", flags->depth, "Elites kept per cell")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--no-proposals", flags->no_proposals, "Leave proposals out");
  command->add_option("--drop", flags->drop, "Payload values to leave out, e.g. features");
  command->add_flag("--force", flags->force, "Replace an existing file");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = compact_archive(*flags); });
}

}  // namespace kernatlas
