// kernatlas doctor: what works on this machine, what does not, and why.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "backends/backend.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/paths.h"
#include "tools/version.h"

namespace kernatlas {

namespace {

struct DoctorFlags {
  bool json = false;
};

const char* state_text(Check::State state) {
  switch (state) {
    case Check::State::on:
      return "on";
    case Check::State::unsupported:
      return "unsupported";
    case Check::State::off:
      return "off";
    case Check::State::missing:
      return "missing";
  }
  return "?";
}

void print_text(const Backend& backend) {
  const auto why = backend.unavailable();
  fmt::print("\n{}: {}\n", backend.name(), why ? "unavailable: " + why->text() : "usable");
  for (const Check& check : backend.diagnose()) {
    fmt::print("  {:<12} {:<28} {}\n", state_text(check.state), check.name, check.detail);
  }
}

nlohmann::ordered_json to_json(const Backend& backend) {
  const auto why = backend.unavailable();
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Check& check : backend.diagnose()) {
    checks.push_back(
        {{"name", check.name}, {"state", state_text(check.state)}, {"detail", check.detail}});
  }
  return {{"backend", backend.name()},
          {"usable", !why.has_value()},
          {"why", why ? why->text() : ""},
          {"checks", checks}};
}

int diagnose(const DoctorFlags& flags) {
  const BackendRegistry backends = default_backends();
  if (flags.json) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Backend* backend : backends.all()) all.push_back(to_json(*backend));
    fmt::print("{}\n", all.dump(2));
  } else {
    fmt::print("kernatlas {}, cache in {}\n", kVersion, cache_dir().string());
    for (const Backend* backend : backends.all()) print_text(*backend);
  }
  const Backend* cpu = backends.find("cpu");
  return cpu != nullptr && cpu->unavailable() ? kExitUnavailable : kExitDone;
}

}  // namespace

void add_doctor_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<DoctorFlags>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say which backends, tools and sandbox layers work here");
  command->add_flag("--json", flags->json, "As JSON");
  command->callback([flags, &exit_code] { exit_code = diagnose(*flags); });
}

}  // namespace kernatlas
