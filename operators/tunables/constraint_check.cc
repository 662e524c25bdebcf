#include "operators/tunables/constraint_check.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "kernel/launch_plan.h"

namespace kernatlas {
namespace {

Expression parsed(const KernelSource& source, const std::string& text, int line,
                  const std::vector<std::string>& names) {
  auto expression = Expression::parse(text, names);
  if (!expression) {
    Error error = std::move(expression.error());
    error.file = source.file();
    error.line = line;
    throw std::invalid_argument(error.text());
  }
  return *std::move(expression);
}

std::vector<std::vector<std::int64_t>> settings_of(const Task& task, const KernelSource& source) {
  const Assignment unset(source.tunables().size(), 0);
  std::vector<std::vector<std::int64_t>> settings;
  for (const Workload& workload : task.workloads) {
    auto values = expression_values(workload.dims, source, unset);
    if (std::find(settings.begin(), settings.end(), values) == settings.end()) {
      settings.push_back(std::move(values));
    }
  }
  // A recorded task has no workloads: its constraints speak of tunables only.
  if (settings.empty()) {
    settings.push_back(expression_values(Dims(task.dims.size(), 0), source, unset));
  }
  return settings;
}

}  // namespace

ConstraintCheck::ConstraintCheck(const Task& task, const KernelSource& source)
    : settings_(settings_of(task, source)), dims_(task.dims.size()) {
  const std::size_t count = source.tunables().size();
  for (const Tunable& tunable : source.tunables()) values_.push_back(tunable.values);
  by_last_.resize(count);
  by_user_.resize(count);
  const auto names = expression_names(task, source);
  for (const auto& declared : source.constraints()) {
    Constraint constraint{.expression = parsed(source, declared.text, declared.line, names),
                          .tunables = {}};
    for (const std::size_t name : constraint.expression.used()) {
      if (name < dims_) constraint.uses_dims = true;
      if (name >= dims_ && name < dims_ + count) constraint.tunables.push_back(name - dims_);
    }
    if (constraint.tunables.empty()) {
      possible_ = possible_ && evaluate(constraint, {});
      continue;
    }
    for (const std::size_t tunable : constraint.tunables) {
      by_user_[tunable].push_back(constraints_.size());
    }
    by_last_[constraint.tunables.back()].push_back(constraints_.size());
    tabulate(constraint);
    constraints_.push_back(std::move(constraint));
  }
}

void ConstraintCheck::tabulate(Constraint& constraint) const {
  std::uint64_t entries = 1;
  for (const std::size_t tunable : constraint.tunables) {
    constraint.strides.push_back(entries);
    if (values_[tunable].size() > kTableLimit / entries) return;
    entries *= values_[tunable].size();
  }
  std::vector<bool> table(entries);
  Positions positions(values_.size(), 0);
  for (std::uint64_t entry = 0; entry < entries; ++entry) {
    std::uint64_t rest = entry;
    for (const std::size_t tunable : constraint.tunables) {
      positions[tunable] = static_cast<std::uint32_t>(rest % values_[tunable].size());
      rest /= values_[tunable].size();
    }
    table[entry] = evaluate(constraint, positions);
  }
  constraint.table = std::move(table);
}

bool ConstraintCheck::evaluate(const Constraint& constraint,
                               std::span<const std::uint32_t> positions) const {
  std::vector<std::int64_t> values;
  for (const auto& setting : settings_) {
    values = setting;
    for (const std::size_t tunable : constraint.tunables) {
      values[dims_ + tunable] = values_[tunable][positions[tunable]];
    }
    const auto result = constraint.expression.evaluate(values);
    if (!result || *result == 0) return false;
    if (!constraint.uses_dims) break;
  }
  return true;
}

bool ConstraintCheck::holds(std::span<const std::uint32_t> positions) const {
  if (!possible_) return false;
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const Constraint& constraint) { return holds(constraint, positions); });
}

}  // namespace kernatlas
