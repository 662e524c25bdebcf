#include "kernel/launch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

namespace kernatlas {

namespace {

constexpr std::int64_t kLargestGrid = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kLargestPoints = std::int64_t{1} << 48;
constexpr std::int64_t kLargestWorkspace = std::int64_t{16} << 30;

bool belongs(const KernelSource& source, const Assignment& assignment) {
  const auto& tunables = source.tunables();
  if (assignment.size() != tunables.size()) return false;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    const auto& values = tunables[i].values;
    if (std::find(values.begin(), values.end(), assignment[i]) == values.end()) return false;
  }
  return true;
}

template <typename Named>
std::optional<std::size_t> position(const std::vector<Named>& items, const std::string& name) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return i;
  }
  return std::nullopt;
}

struct Planner {
  const Task& task;
  const Workload& workload;
  const KernelSource& source;
  const Assignment& assignment;
  std::vector<std::string> names = expression_names(task, source);
  std::vector<std::int64_t> values = expression_values(workload.dims, source, assignment);

  Error error(int line, std::string message, std::string expected) const {
    return Error{.message = std::move(message),
                 .file = source.file(),
                 .line = line,
                 .expected = std::move(expected),
                 .hint = fmt::format("with {}", setting())};
  }

  // "ROWS=333 COLS=5119 BLOCK=256": what made the complaint true.
  std::string setting() const {
    std::string out;
    for (std::size_t i = 0; i < task.dims.size(); ++i) {
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", task.dims[i], workload.dims[i]);
    }
    const std::string tunables = to_text(source.tunables(), assignment);
    if (!out.empty() && !tunables.empty()) out += ' ';
    return out + tunables;
  }

  Result<std::int64_t> evaluate(int line, const std::string& text) const {
    auto expression = Expression::parse(text, names);
    auto value = expression ? expression->evaluate(values)
                            : Result<std::int64_t>(fail(std::move(expression.error())));
    if (!value) {
      return fail(error(line, fmt::format("\"{}\": {}", text, value.error().message),
                        value.error().expected));
    }
    return value;
  }

  Result<void> check_constraints() const {
    for (const Constraint& constraint : source.constraints()) {
      const auto value = evaluate(constraint.line, constraint.text);
      if (!value) return fail(value.error());
      if (*value == 0) {
        return fail(error(constraint.line,
                          fmt::format("the constraint {} does not hold", constraint.name),
                          constraint.text));
      }
    }
    return {};
  }

  Result<std::array<std::int64_t, 3>> sizes(const LaunchSpec& spec, std::string_view what,
                                            const std::vector<std::string>& texts) const {
    std::array<std::int64_t, 3> out{1, 1, 1};
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto value = evaluate(spec.line, texts[i]);
      if (!value) return fail(value.error());
      if (*value <= 0 || *value > kLargestGrid) {
        return fail(error(
            spec.line, fmt::format("the {} of {} is {} = {}", what, spec.kernel, texts[i], *value),
            "1 to 2^31 - 1"));
      }
      out.at(i) = *value;
    }
    if (out[0] * out[1] > kLargestPoints / out[2]) {
      return fail(error(
          spec.line,
          fmt::format("the {} of {} is {} × {} × {}", what, spec.kernel, out[0], out[1], out[2]),
          "at most 2^48 in all"));
    }
    return out;
  }

  Result<Argument> argument(const LaunchSpec& spec, const std::string& text) const {
    if (const auto i = position(task.inputs, text)) return Argument{Argument::Kind::input, *i, 0};
    if (const auto i = position(task.outputs, text)) return Argument{Argument::Kind::output, *i, 0};
    if (const auto i = position(source.workspaces(), text)) {
      return Argument{Argument::Kind::workspace, *i, 0};
    }
    const auto value = evaluate(spec.line, text);
    if (!value) return fail(value.error());
    return Argument{Argument::Kind::integer, 0, *value};
  }

  Result<Launch> plan(const LaunchSpec& spec) const {
    Launch launch;
    launch.kernel = spec.kernel;
    const auto grid = sizes(spec, "grid", spec.grid);
    if (!grid) return fail(grid.error());
    launch.grid = *grid;
    const auto block = sizes(spec, "block", spec.block);
    if (!block) return fail(block.error());
    launch.block = *block;
    if (!spec.shared.empty()) {
      const auto shared = evaluate(spec.line, spec.shared);
      if (!shared) return fail(shared.error());
      if (*shared < 0 || *shared > kLargestGrid) {
        return fail(error(spec.line,
                          fmt::format("the shared memory of {} is {} bytes", spec.kernel, *shared),
                          "0 to 2^31 - 1"));
      }
      launch.shared_bytes = *shared;
    }
    for (const std::string& text : spec.args) {
      const auto parsed = argument(spec, text);
      if (!parsed) return fail(parsed.error());
      launch.arguments.push_back(*parsed);
    }
    return launch;
  }

  Result<LaunchPlan> plan() const {
    LaunchPlan out;
    if (const auto held = check_constraints(); !held) return fail(held.error());
    for (std::size_t i = 0; i < names.size(); ++i) out.macros.emplace_back(names[i], values[i]);
    for (const Workspace& workspace : source.workspaces()) {
      const auto bytes = evaluate(workspace.line, workspace.bytes);
      if (!bytes) return fail(bytes.error());
      if (*bytes < 0 || *bytes > kLargestWorkspace) {
        return fail(error(workspace.line,
                          fmt::format("the workspace {} has {} bytes", workspace.name, *bytes),
                          "0 to 16 GiB"));
      }
      out.workspace_bytes.push_back(*bytes);
    }
    for (const LaunchSpec& spec : source.launches()) {
      auto launch = plan(spec);
      if (!launch) return fail(std::move(launch.error()));
      out.launches.push_back(std::move(*launch));
    }
    return out;
  }
};

}  // namespace

std::vector<std::string> expression_names(const Task& task, const KernelSource& source) {
  std::vector<std::string> out = task.dims;
  for (const Tunable& tunable : source.tunables()) out.push_back(tunable.name);
  for (const Tunable& tunable : source.tunables()) {
    for (std::string& name : tunable.label_names()) out.push_back(std::move(name));
  }
  return out;
}

std::vector<std::int64_t> expression_values(const Dims& dims, const KernelSource& source,
                                            const Assignment& assignment) {
  KERNATLAS_CHECK(assignment.size() == source.tunables().size());
  std::vector<std::int64_t> out = dims;
  out.insert(out.end(), assignment.begin(), assignment.end());
  for (const Tunable& tunable : source.tunables()) {
    for (std::size_t i = 0; i < tunable.labels.size(); ++i) {
      out.push_back(static_cast<std::int64_t>(i));
    }
  }
  return out;
}

Result<LaunchPlan> plan_launches(const Task& task, const Workload& workload,
                                 const KernelSource& source, const Assignment& assignment) {
  KERNATLAS_CHECK(workload.dims.size() == task.dims.size());
  if (!belongs(source, assignment)) {
    return fail({.message = "the assignment does not belong to the source",
                 .file = source.file(),
                 .expected = fmt::format("one of the declared values for each of the {} tunables",
                                         source.tunables().size())});
  }
  return Planner{task, workload, source, assignment}.plan();
}

bool is_valid(const Task& task, const KernelSource& source, const Assignment& assignment) {
  if (!belongs(source, assignment)) return false;
  const auto names = expression_names(task, source);
  // A recorded task has no workloads of its own: its constraints speak of tunables only.
  std::vector<Dims> settings;
  for (const Workload& workload : task.workloads) settings.push_back(workload.dims);
  if (settings.empty()) settings.emplace_back(task.dims.size(), 0);
  for (const Constraint& constraint : source.constraints()) {
    const auto expression = Expression::parse(constraint.text, names);
    if (!expression) return false;
    for (const Dims& dims : settings) {
      const auto value = expression->evaluate(expression_values(dims, source, assignment));
      if (!value || *value == 0) return false;
    }
  }
  return true;
}

}  // namespace kernatlas
