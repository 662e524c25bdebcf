// kernatlas rebin: the same candidates in an archive with other axes or another resolution.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>
#include <nlohmann/json.hpp>

#include "tools/atlas_axes.h"
#include "tools/atlas_input.h"
#include "tools/atlas_rebin.h"
#include "tools/commands.h"
#include "tools/exit_code.h"

namespace kernatlas {

namespace {

struct RebinFlags {
  std::string archive;
  std::string out;
  RebinRequest request;
  std::vector<std::string> options;  // NAME=VALUE
  bool force = false;
  bool json = false;
};

Result<std::map<std::string, double>> parse_options(const std::vector<std::string>& texts) {
  std::map<std::string, double> options;
  for (const std::string& text : texts) {
    const auto equals = text.find('=');
    double value = 0;
    const char* begin = text.data() + (equals == std::string::npos ? text.size() : equals + 1);
    const auto [end, code] = std::from_chars(begin, text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) {
      return fail({.message = fmt::format("option \"{}\"", text), .expected = "NAME=NUMBER"});
    }
    options[text.substr(0, equals)] = value;
  }
  return options;
}

Result<archives::Rebinned> rebinned(const RebinFlags& flags) {
  if (is_run(flags.archive)) {
    const auto reader = RunReader::open(flags.archive);
    if (!reader) return fail(reader.error());
    return rebin_run(**reader, flags.request);
  }
  const auto atlas = open_atlas(flags.archive);
  if (!atlas) return fail(atlas.error());
  return rebin_file(*atlas, flags.request);
}

int rebin_archive(RebinFlags& flags) {
  if (auto fine = check_free(flags.out, flags.force); !fine) return report(fine.error());
  auto options = parse_options(flags.options);
  if (!options) return report(options.error());
  flags.request.options = std::move(*options);
  const auto result = rebinned(flags);
  if (!result) return report(result.error());
  if (auto saved = save(flags.out, result->atlas, flags.force); !saved) {
    return report(saved.error());
  }
  if (flags.json) {
    auto json = atlas_json(result->atlas);
    json["unknown"] = result->unknown;
    json["refused"] = result->refused;
    json["out"] = flags.out;
    fmt::print("{}\n", json.dump());
  } else {
    fmt::print("{}: {}\n", flags.out, atlas_text(result->atlas));
    if (result->unknown + result->refused > 0) {
      fmt::print("left out: {} without such measures, {} refused by the axes\n", result->unknown,
                 result->refused);
    }
  }
  return kExitDone;
}

}  // namespace

void add_rebin_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<RebinFlags>();
  CLI::App* command = app.add_subcommand("rebin", "Put an archive's content under other axes");
  command
      ->add_option("archive", flags->archive, "Run directory (from all it measured) or atlas file")
      ->required();
  command->add_option("-o,--out", flags->out, "Atlas file to write")->required();
  command->add_option("--axis", flags->request.axes, kAxisHelp);
  command->add_option("--kind", flags->request.kind, "Archive kind (default: as before)");
  command->add_option("--option", flags->options, "NAME=NUMBER of the kind, e.g. depth=5");
  command->add_flag("--force", flags->force, "Replace an existing file");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = rebin_archive(*flags); });
}

}  // namespace kernatlas
