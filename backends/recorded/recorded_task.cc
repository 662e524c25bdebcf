#include "backends/recorded/recorded_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kernatlas {

namespace {

std::string in_quotes(std::string_view text) {
  // The reader lets no quote or backslash through, so nothing needs escaping.
  return fmt::format("\"{}\"", text);
}

std::string tunable_line(const Tunable& tunable) {
  std::vector<std::string> items;
  for (std::size_t i = 0; i < tunable.values.size(); ++i) {
    items.push_back(tunable.is_choice() ? in_quotes(tunable.labels[i])
                                        : std::to_string(tunable.values[i]));
  }
  return fmt::format("{} = [{}]\n", tunable.name, fmt::join(items, ", "));
}

std::string task_name(const std::filesystem::path& table) {
  std::string name = table.filename().string();
  for (const std::string_view ending : {".gz", ".csv"}) {
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  }
  return name;
}

// A boundary above the largest value closes its bin; wide value lists are thinned evenly.
AxisRequest axis_over(const Tunable& tunable) {
  AxisRequest axis{
      .feature = "tune." + tunable.name, .unit = "", .scale = "linear", .edges = {}, .labels = {}};
  if (tunable.is_choice()) {
    axis.scale = "categorical";
    axis.labels = tunable.labels;
    return axis;
  }
  const auto& values = tunable.values;
  const std::size_t bins = std::min(values.size(), kAxisBins);
  for (std::size_t bin = 0; bin < bins; ++bin) {
    axis.edges.push_back(static_cast<double>(values[bin * values.size() / bins]));
  }
  const bool log2 = values.front() > 0 && values.back() / values.front() >= 8;
  if (log2) axis.scale = "log2";
  const double last = static_cast<double>(values.back());
  axis.edges.push_back(log2 ? last * 2 : last + 1);
  return axis;
}

}  // namespace

std::string recorded_source_text(const RecordedTable& table) {
  std::string text = "[tune]\n";
  for (const Tunable& tunable : table.tunables()) text += tunable_line(tunable);
  if (!table.constraints().empty()) text += "[constraint]\n";
  for (const Constraint& constraint : table.constraints()) {
    text += fmt::format("{} = {}\n", constraint.name, in_quotes(constraint.text));
  }
  return text;
}

std::vector<AxisRequest> recorded_axes(const RecordedTable& table) {
  std::vector<std::size_t> order(table.tunables().size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.tunables()[a].values.size() > table.tunables()[b].values.size();
  });
  std::vector<AxisRequest> axes;
  for (std::size_t i = 0; i < std::min<std::size_t>(2, order.size()); ++i) {
    axes.push_back(axis_over(table.tunables()[order[i]]));
  }
  return axes;
}

namespace {

// What the table says: workload, dims, seed. The rest of `task` stays.
Result<void> fill_in(Task& task, const RecordedTable& table, const std::filesystem::path& path) {
  auto source = KernelSource::parse(recorded_source_text(table), Language::recorded, path.string());
  if (!source) return fail(source.error());
  Workload workload{.name = "recorded", .role = WorkloadRole::search, .dims = {}};
  for (const auto& [name, value] : table.dims()) {
    task.dims.push_back(name);
    workload.dims.push_back(value);
  }
  task.workloads.push_back(std::move(workload));
  task.seeds.push_back(*source);
  if (task.axes.empty()) task.axes = recorded_axes(table);
  if (task.summary.empty()) {
    task.summary = fmt::format("replays {} measured configurations", table.rows().size());
  }
  return (*source)->check_against(task);
}

}  // namespace

Result<std::shared_ptr<const Task>> load_recorded_task(const std::filesystem::path& path) {
  auto table = RecordedTable::load(path);
  if (!table) return fail(table.error());
  auto task = std::make_shared<Task>();
  task->name = task_name(path);
  task->tags = {"recorded"};
  task->folder = path.parent_path();
  task->recorded_table = path;
  task->hash = table->hash();
  if (auto done = fill_in(*task, *table, path); !done) return fail(done.error());
  return task;
}

Result<std::shared_ptr<const Task>> complete_recorded_task(std::shared_ptr<const Task> task) {
  if (task->recorded_table.empty() || !task->seeds.empty()) return task;
  auto table = RecordedTable::load(task->recorded_table);
  if (!table) return fail(table.error());
  auto completed = std::make_shared<Task>(*task);
  if (auto done = fill_in(*completed, *table, task->recorded_table); !done) {
    return fail(done.error());
  }
  return completed;
}

}  // namespace kernatlas
