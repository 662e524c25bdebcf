// Small tasks, sources and spaces for the tests of operators.
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/kernel_source.h"
#include "kernel/task.h"
#include "operators/operator.h"
#include "operators/tunables/search_space.h"

namespace kernatlas::testing {

// `tune` and `constraint` are the lines of these two tables.
inline KernelSourcePtr source_of(const std::string& tune, const std::string& constraint = {},
                                 const std::string& body = "extern \"C\" void k(Block) {}\n") {
  auto source =
      KernelSource::parse("/*kernatlas\n[tune]\n" + tune + "\n[constraint]\n" + constraint +
                              "\n[[launch]]\nkernel = \"k\"\nargs = [\"ROWS\"]\n*/\n" + body,
                          Language::cpp, "k.cpp");
  if (!source) FAIL(source.error().text());
  return *source;
}

// Two workloads, one of them hidden: ROWS, COLS = 8192, 4096 and 333, 5119.
inline std::shared_ptr<Task> task_of(std::vector<KernelSourcePtr> seeds) {
  auto task = std::make_shared<Task>();
  task->dims = {"ROWS", "COLS"};
  task->workloads = {{.name = "large", .role = WorkloadRole::search, .dims = {8192, 4096}},
                     {.name = "odd", .role = WorkloadRole::holdout, .dims = {333, 5119}}};
  task->seeds = std::move(seeds);
  return task;
}

inline std::vector<Tunable> some_options() {
  return {{.name = "opt", .values = {2, 3}, .labels = {}, .line = 0},
          {.name = "unroll", .values = {0, 1, 2}, .labels = {"off", "on", "full"}, .line = 0}};
}

// A task with a space per seed and what an operator is shown of it.
class World {
 public:
  explicit World(std::vector<KernelSourcePtr> seeds, std::vector<Tunable> options = some_options())
      : task_(task_of(std::move(seeds))) {
    for (const KernelSourcePtr& seed : task_->seeds) {
      spaces_.push_back(std::make_unique<SearchSpace>(task_, seed, options));
      views_.push_back(spaces_.back().get());
    }
  }
  [[nodiscard]] const SearchSpace& space(std::size_t i) const { return *spaces_[i]; }
  [[nodiscard]] const Task& task() const { return *task_; }
  std::vector<Parent>& parents() { return parents_; }
  [[nodiscard]] Surroundings around(std::uint64_t ticket = 1000) const {
    return {.task = *task_, .spaces = views_, .parents = parents_, .ticket = ticket};
  }
  // A parent from seed `i` with this assignment (its first one by default).
  void offer(std::size_t i, std::uint64_t ticket, Assignment assignment = {},
             CompileOptions options = {}) {
    if (assignment.empty()) assignment = space(i).first().value();
    parents_.push_back({.ticket = ticket,
                        .candidate = {task_->seeds[i], std::move(assignment), std::move(options)}});
  }

 private:
  std::shared_ptr<Task> task_;
  std::vector<std::unique_ptr<SearchSpace>> spaces_;
  std::vector<const SearchSpace*> views_;
  std::vector<Parent> parents_;
};

// A random front matter: one to five tunables (choices among them), up to four constraints over
// tunables and dims. Some of these spaces are empty.
inline KernelSourcePtr random_source(Rng& rng) {
  const std::size_t count = 1 + uniform_below(rng, 5);
  const auto any = [&] { return "T" + std::to_string(uniform_below(rng, count)); };
  std::string tune, constraint;
  for (std::size_t t = 0; t < count; ++t) {
    const bool choice = uniform_below(rng, 4) == 0;
    tune += "T" + std::to_string(t) + " = [";
    const std::size_t values = 1 + uniform_below(rng, 4);
    for (std::size_t v = 0; v < values; ++v) {
      // Distinct, but not always ascending: order in the list is not the order of the values.
      const std::uint64_t value = (v ^ (t % 2)) * 5 + uniform_below(rng, 5);
      if (v > 0) tune += ", ";
      tune += choice ? "\"label" + std::to_string(v) + "\"" : std::to_string(value);
    }
    tune += "]\n";
  }
  const std::size_t constraints = uniform_below(rng, 5);
  for (std::size_t c = 0; c < constraints; ++c) {
    const std::vector<std::string> forms{any() + " <= " + any() + " + 8",
                                         "ROWS % (" + any() + " + 1) < 20",
                                         any() + " * " + any() + " < COLS / 100",
                                         "(" + any() + " + " + any() + ") % 3 != 1",
                                         "100 / " + any() + " > 4",
                                         any() + " + " + any() + " + " + any() + " != 12",
                                         "ROWS > 300"};
    constraint +=
        "c" + std::to_string(c) + " = \"" + forms[uniform_below(rng, forms.size())] + "\"\n";
  }
  return source_of(tune, constraint);
}

// Every raw assignment, in lexicographic order of positions.
inline std::vector<Assignment> raw_assignments(const KernelSource& source) {
  std::vector<Assignment> all{{}};
  for (const Tunable& tunable : source.tunables()) {
    std::vector<Assignment> longer;
    for (const Assignment& each : all) {
      for (const std::int64_t value : tunable.values) {
        longer.push_back(each);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
  }
  return all;
}

}  // namespace kernatlas::testing
