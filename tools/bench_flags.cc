#include "tools/bench_flags.h"

#include <CLI/CLI.hpp>

namespace kernatlas {

void BenchFlags::add_to(CLI::App& command) {
  command.add_option("--backend", base_.backend, "cpu, recorded")->capture_default_str();
  command.add_option("--threads", base_.threads, "CPU threads that share a launch's grid")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_option("--devices", base_.devices, "Devices to use (0: all)")
      ->check(CLI::Range(0, 1024));
  command.add_flag("--warm", base_.warm, "Time with warm caches (default: cold)");
  command.add_option("--require", base_.require,
                     "Sandbox layers that must be active, e.g. landlock (see doctor)");
  command.add_option("--set", pairs_, "Backend parameter, NAME=VALUE");
}

Result<BenchSettings> BenchFlags::settings() const {
  BenchSettings settings = base_;
  for (const std::string& pair : pairs_) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail({.message = "--set " + pair + " is not a parameter", .expected = "NAME=VALUE"});
    }
    settings.parameters[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return settings;
}

}  // namespace kernatlas
