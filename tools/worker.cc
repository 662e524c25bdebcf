// kernatlas worker: hands over to the worker program, which stands beside this one.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/paths.h"

namespace kernatlas {

namespace {

// Returns only when the program cannot be started.
int hand_over(std::vector<std::string> arguments) {
  const std::string program = (program_dir() / "kernatlas-worker").string();
  arguments.insert(arguments.begin(), program);
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  return report({.code = ErrorCode::unavailable,
                 .message = fmt::format("cannot start {}: {}", program, std::strerror(errno)),
                 .hint = "it is built and installed beside kernatlas"});
}

}  // namespace

void add_worker_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "worker", "The sandboxed process that runs candidates; started by the search, not by people");
  command->prefix_command();
  command->callback([command, &exit_code] { exit_code = hand_over(command->remaining()); });
}

}  // namespace kernatlas
