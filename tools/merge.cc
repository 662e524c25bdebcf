// kernatlas merge: several archives of one task become one.
#include "archives/operations/merge.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "archives/registry.h"
#include "tools/atlas_input.h"
#include "tools/commands.h"
#include "tools/exit_code.h"

namespace kernatlas {

namespace {

struct MergeFlags {
  std::vector<std::string> inputs;
  std::string out;
  std::string contract_of;
  bool force = false;
  bool json = false;
};

int merge_archives(const MergeFlags& flags) {
  if (auto fine = check_free(flags.out, flags.force); !fine) return report(fine.error());
  std::vector<archives::Atlas> inputs;
  for (const std::string& each : flags.inputs) {
    auto atlas = open_atlas(each);
    if (!atlas) return report(atlas.error());
    inputs.push_back(std::move(*atlas));
  }
  archives::MergeOptions options;
  if (!flags.contract_of.empty()) {
    const auto atlas = open_atlas(flags.contract_of);
    if (!atlas) return report(atlas.error());
    options.contract = atlas->contract;
  }
  const auto merged = archives::merge(inputs, archives::builtin_kinds(), options);
  if (!merged) return report(to_error(merged.error()));
  if (auto saved = save(flags.out, merged->atlas, flags.force); !saved) {
    return report(saved.error());
  }
  if (flags.json) {
    auto json = atlas_json(merged->atlas);
    json["read"] = merged->read;
    json["foreign"] = merged->foreign;
    json["duplicates"] = merged->duplicates;
    json["out"] = flags.out;
    fmt::print("{}\n", json.dump());
    return kExitDone;
  }
  fmt::print("merged {} archives into {}: {}\n", inputs.size(), flags.out,
             atlas_text(merged->atlas));
  fmt::print("{} elites read, {} of them twice, {} measured elsewhere\n", merged->read,
             merged->duplicates, merged->foreign);
  if (!merged->atlas.proposals.empty()) {
    fmt::print("proposals have no times: kernatlas run TASK --from {} measures them\n", flags.out);
  }
  return kExitDone;
}

}  // namespace

void add_merge_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* command = app.add_subcommand("merge", "Make one archive of several");
  command->add_option("archives", flags->inputs, "Run directories and atlas files")->required();
  command->add_option("-o,--out", flags->out, "Atlas file to write")->required();
  command->add_option("--contract-of", flags->contract_of,
                      "Keep the times measured as in this one (default: those of most elites)");
  command->add_flag("--force", flags->force, "Replace an existing file");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = merge_archives(*flags); });
}

}  // namespace kernatlas
