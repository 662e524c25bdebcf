// kernatlas import: what other quality-diversity programs saved, as an atlas.
#include "archives/operations/import.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "archives/registry.h"
#include "tools/atlas_axes.h"
#include "tools/atlas_input.h"
#include "tools/commands.h"
#include "tools/exit_code.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

struct ImportFlags {
  std::string path;
  std::string out;
  std::string subject;
  std::string contract;
  std::vector<std::string> axes;
  std::size_t depth = 1;
  double floor = 0;
  bool force = false;
  bool json = false;
};

int import_archive(const ImportFlags& flags) {
  if (auto fine = check_free(flags.out, flags.force); !fine) return report(fine.error());
  auto axes = parse_axes(flags.axes, {}, nullptr);
  if (!axes) return report(axes.error());
  const bool folder = is_run(flags.path);
  archives::ImportOptions options;
  options.subject = flags.subject.empty() ? fs::path(flags.path).stem().string() : flags.subject;
  options.contract = flags.contract.empty() ? (folder ? "OpenEvolve" : "pyribs") : flags.contract;
  options.spec.axes = std::move(*axes);
  options.spec.floor = flags.floor;
  options.spec.options = {{"depth", static_cast<double>(flags.depth)}};
  const auto kinds = archives::builtin_kinds();
  const auto imported = folder ? archives::import_openevolve(flags.path, options, kinds)
                               : archives::import_pyribs(flags.path, options, kinds);
  if (!imported) return report(to_error(imported.error()));
  if (auto saved = save(flags.out, imported->atlas, flags.force); !saved) {
    return report(saved.error());
  }
  if (flags.json) {
    auto json = atlas_json(imported->atlas);
    json["read"] = imported->read;
    json["skipped"] = imported->skipped;
    json["refused"] = imported->refused;
    json["out"] = flags.out;
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}: {}\n{} read, {} skipped (without an objective or a measure), {} refused\n",
               flags.out, atlas_text(imported->atlas), imported->read, imported->skipped,
               imported->refused);
  }
  return kExitDone;
}

}  // namespace

void add_import_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<ImportFlags>();
  CLI::App* command =
      app.add_subcommand("import", "Make an atlas of a pyribs CSV or an OpenEvolve checkpoint");
  command->add_option("path", flags->path, "CSV file of pyribs, or checkpoint folder of OpenEvolve")
      ->required();
  command->add_option("-o,--out", flags->out, "Atlas file to write")->required();
  command->add_option("--axis", flags->axes, kAxisHelp)->required();
  command->add_option("--subject", flags->subject, "What was searched for (default: PATH's name)");
  command->add_option("--contract", flags->contract,
                      "What an objective means (default: the program it comes from)");
  command->add_option("--depth", flags->depth, "Elites kept per cell")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--floor", flags->floor, "Objective floor of the QD score")
      ->capture_default_str();
  command->add_flag("--force", flags->force, "Replace an existing file");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = import_archive(*flags); });
}

}  // namespace kernatlas
