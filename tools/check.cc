// kernatlas check: verifies and times one kernel file.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "tools/bench_flags.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/kernel_check.h"
#include "tools/session.h"
#include "tools/signals.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

struct CheckFlags {
  std::string file;
  std::string task;
  std::string tunables;
  std::string options;
  BenchFlags bench;
};

// A seed lies in TASK/seeds/: its task is two folders up.
std::string task_of(const CheckFlags& flags) {
  if (!flags.task.empty()) return flags.task;
  std::error_code ignored;
  const fs::path guess = fs::absolute(flags.file, ignored).parent_path().parent_path();
  return fs::exists(guess / "task.toml", ignored) ? guess.string() : std::string();
}

int check(const CheckFlags& flags) {
  catch_interrupts();
  const auto settings = flags.bench.settings();
  if (!settings) return report(settings.error());
  const auto source = KernelSource::load(flags.file);
  if (!source) return report(source.error());
  const std::string task_name = task_of(flags);
  if (task_name.empty()) {
    return report({.message = "which task does this kernel compute?",
                   .file = flags.file,
                   .hint = "name it: kernatlas check FILE --task TASK"});
  }
  const auto task = find_task(task_name, *settings);
  if (!task) return report(task.error());
  const BackendRegistry backends = default_backends();
  auto bench = open_bench(backends, *task, *settings, 0, false);
  if (!bench) return report(bench.error());
  const auto result = check_kernel(*task, **bench, *source, flags.tunables, flags.options);
  if (!result) return report(result.error());
  fmt::print("{}", check_text(*result, **task, (*bench)->options()));
  if (result->outcome.kind == OutcomeKind::device_lost) return kExitInternal;
  return result->outcome.measured() ? kExitDone : kExitNothingCorrect;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* command = app.add_subcommand(
      "check", "Verify and time one kernel, and say everything that is wrong with it");
  command->add_option("file", flags->file, "Kernel source (.cpp)")->required();
  command->add_option("-t,--task", flags->task,
                      "Task folder or name (default: the task whose seeds folder holds FILE)");
  command->add_option("--tune", flags->tunables,
                      "Tunables, \"BLOCK=128 VEC=4\" (default: the first valid assignment)");
  command->add_option("--option", flags->options,
                      "Compile options, \"opt=O2\" (default: defaults)");
  flags->bench.add_to(*command);
  command->callback([flags, &exit_code] { exit_code = check(*flags); });
}

}  // namespace kernatlas
