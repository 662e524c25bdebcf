// kernatlas tasks: lists the shipped tasks, and checks one thoroughly.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "tools/bench_flags.h"
#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/kernel_check.h"
#include "tools/report.h"
#include "tools/session.h"
#include "tools/signals.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

int list_tasks() {
  std::set<std::string> seen;
  for (const fs::path& folder : task_folders()) {
    std::error_code missing;
    std::vector<fs::path> tasks;
    for (const auto& item : fs::directory_iterator(folder, missing)) {
      std::error_code ignored;
      if (fs::exists(item.path() / "task.toml", ignored)) tasks.push_back(item.path());
    }
    std::sort(tasks.begin(), tasks.end());
    for (const fs::path& path : tasks) {
      if (!seen.insert(path.filename()).second) continue;
      const auto task = load_task(path);
      if (task) {
        fmt::print("{:<14} {} ({} seeds, {} workloads)\n", (*task)->name, (*task)->summary,
                   (*task)->seeds.size(), (*task)->workloads.size());
      } else {
        fmt::print("{:<14} broken: {}\n", path.filename().string(), task.error().text());
      }
    }
  }
  if (seen.empty()) fmt::print("no tasks found\n");
  return kExitDone;
}

struct TaskCheckFlags {
  std::string task;
  BenchFlags bench;
};

// Prints one line for each baseline.
void print_baselines(Bench& bench) {
  for (const BaselineTime& each : bench.baselines()) {
    if (!each.unavailable.empty()) {
      fmt::print("  baseline {:<24} unavailable: {}\n", each.name, each.unavailable);
      continue;
    }
    fmt::print("  baseline {:<24} {:.2f}x", each.name,
               baseline_speedup(bench.baselines().front(), each));
    for (const double ns : each.median_ns) fmt::print("  {:.1f} us", ns / 1e3);
    fmt::print("\n");
  }
}

int check_task(const TaskCheckFlags& flags) {
  catch_interrupts();
  const auto settings = flags.bench.settings();
  if (!settings) return report(settings.error());
  const auto task = find_task(flags.task, *settings);
  if (!task) return report(task.error());
  fmt::print("{}: {}\n", (*task)->name, (*task)->summary);
  const BackendRegistry backends = default_backends();
  auto bench = open_bench(backends, *task, *settings, 0, true);
  if (!bench) return report(bench.error());
  print_baselines(**bench);
  const auto weaknesses = (*bench)->lint();
  if (!weaknesses) return report(weaknesses.error());
  for (const std::string& weakness : *weaknesses) fmt::print("  weakness: {}\n", weakness);
  bool all_correct = weaknesses->empty();
  for (const KernelSourcePtr& seed : (*task)->seeds) {
    const auto result = check_kernel(*task, **bench, seed, "", "");
    if (!result) return report(result.error());
    const Outcome& outcome = result->outcome;
    all_correct &= outcome.measured();
    fmt::print("  seed {:<28} {}\n", fs::path(seed->file()).filename().string(),
               outcome.measured() ? speedup_text(outcome.fitness, outcome.fitness_interval)
                                  : fmt::format("{}: {}\n{}", name(outcome.kind), outcome.message,
                                                outcome.detail));
  }
  return all_correct ? kExitDone : kExitNothingCorrect;
}

}  // namespace

void add_tasks_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("tasks", "List the shipped tasks, or check one");
  command->require_subcommand(1);
  command->add_subcommand("list", "Every task found in ./tasks and beside the program")
      ->callback([&exit_code] { exit_code = list_tasks(); });
  auto flags = std::make_shared<TaskCheckFlags>();
  CLI::App* check = command->add_subcommand(
      "check",
      "Load a task, measure its baselines, look for weaknesses, verify and time every seed");
  check->add_option("task", flags->task, "Task folder or name")->required();
  flags->bench.add_to(*check);
  check->callback([flags, &exit_code] { exit_code = check_task(*flags); });
}

}  // namespace kernatlas
