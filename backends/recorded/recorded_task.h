// A Task made from a table of measured configurations: one search workload, one seed kernel source
// whose tunables and constraints are the table's, no tensors.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "backends/recorded/recorded_table.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

// The table's file name without .csv or .csv.gz names the task. Errors: those of the table.
[[nodiscard]] Result<std::shared_ptr<const Task>> load_recorded_task(
    const std::filesystem::path& table);

// The same for a task folder that names a table (Task::recorded_table): its summary, tags and axes
// stay, the rest comes from the table. Any other task is returned as it is.
[[nodiscard]] Result<std::shared_ptr<const Task>> complete_recorded_task(
    std::shared_ptr<const Task> task);

// The text of the seed source: nothing but the front matter.
[[nodiscard]] std::string recorded_source_text(const RecordedTable& table);

// Axes over the two tunables with most values (ties: the earlier column; one when there is one):
// a bin per value, at most kAxisBins.
inline constexpr std::size_t kAxisBins = 16;
[[nodiscard]] std::vector<AxisRequest> recorded_axes(const RecordedTable& table);

}  // namespace kernatlas
