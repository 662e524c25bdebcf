// kernatlas diff: what two archives have in common and what they do not.
#include "archives/operations/diff.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "archives/registry.h"
#include "tools/atlas_input.h"
#include "tools/commands.h"
#include "tools/exit_code.h"

namespace kernatlas {

using Json = nlohmann::ordered_json;

namespace {

struct DiffFlags {
  std::string before;
  std::string after;
  std::size_t rows = 20;
  bool json = false;
};

std::string joined(const std::vector<std::string>& texts) {
  std::string text;
  for (const std::string& each : texts) text += (text.empty() ? "" : " · ") + each;
  return text;
}

std::string change_text(const archives::CellChange& change) {
  const std::string where = joined(change.text);
  if (change.opened()) {
    return fmt::format("  + {:8.3f}            {}  {:.12}", *change.after, where, change.key_after);
  }
  if (change.lost()) {
    return fmt::format("  - {:8.3f}            {}  {:.12}", *change.before, where,
                       change.key_before);
  }
  return fmt::format("    {:8.3f} {:+10.3f}  {}  {:.12} -> {:.12}", *change.after, change.gain(),
                     where, change.key_before, change.key_after);
}

void print_text(const archives::Difference& difference, std::size_t rows) {
  const auto& [before, after] = std::pair(difference.before, difference.after);
  fmt::print("cells occupied {} -> {}, QD score {:.4g} -> {:.4g}, best {:.4g} -> {:.4g}\n",
             before.occupied, after.occupied, before.qd_score, after.qd_score, before.best,
             after.best);
  fmt::print("elites: {} in both, {} only before, {} only after\n", difference.shared_keys,
             difference.only_before, difference.only_after);
  if (!difference.same_contract) {
    fmt::print("measured under different contracts: gains compare different clocks\n");
  }
  if (!difference.same_cells) {
    fmt::print("their cells differ: rebin one of them to compare cell by cell\n");
    return;
  }
  fmt::print("champions: {} same, {} opened, {} lost, {} better, {} worse\n",
             difference.same_champions, difference.opened, difference.lost, difference.better,
             difference.worse);
  for (std::size_t i = 0; i < std::min(rows, difference.changes.size()); ++i) {
    fmt::print("{}\n", change_text(difference.changes[i]));
  }
  if (difference.changes.size() > rows) {
    fmt::print("  … {} more: --rows\n", difference.changes.size() - rows);
  }
}

Json to_json(const archives::Difference& difference) {
  Json changes = Json::array();
  for (const archives::CellChange& change : difference.changes) {
    changes.push_back({{"cell", change.cell},
                       {"bins", change.text},
                       {"before", change.before ? Json(*change.before) : Json()},
                       {"after", change.after ? Json(*change.after) : Json()},
                       {"key_before", change.key_before},
                       {"key_after", change.key_after}});
  }
  return {{"same_subject", difference.same_subject},
          {"same_contract", difference.same_contract},
          {"same_cells", difference.same_cells},
          {"occupied_before", difference.before.occupied},
          {"occupied_after", difference.after.occupied},
          {"qd_score_before", difference.before.qd_score},
          {"qd_score_after", difference.after.qd_score},
          {"same_champions", difference.same_champions},
          {"opened", difference.opened},
          {"lost", difference.lost},
          {"better", difference.better},
          {"worse", difference.worse},
          {"shared", difference.shared_keys},
          {"only_before", difference.only_before},
          {"only_after", difference.only_after},
          {"changes", changes}};
}

int diff_archives(const DiffFlags& flags) {
  const auto before = open_atlas(flags.before);
  if (!before) return report(before.error());
  const auto after = open_atlas(flags.after);
  if (!after) return report(after.error());
  if (before->subject != after->subject) {
    return report({.message = fmt::format("archives of \"{}\" and of \"{}\" have nothing in common",
                                          before->subject, after->subject),
                   .expected = "two archives of one task"});
  }
  const auto difference = archives::diff(*before, *after, archives::builtin_kinds());
  if (!difference) return report(to_error(difference.error()));
  if (flags.json) {
    fmt::print("{}\n", to_json(*difference).dump());
  } else {
    print_text(*difference, flags.rows);
  }
  return kExitDone;
}

}  // namespace

void add_diff_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* command = app.add_subcommand("diff", "Compare two archives");
  command->add_option("before", flags->before, "Run directory or atlas file")->required();
  command->add_option("after", flags->after, "Run directory or atlas file")->required();
  command->add_option("--rows", flags->rows, "Changed cells to list")->capture_default_str();
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = diff_archives(*flags); });
}

}  // namespace kernatlas
