// Task: what to compute. A folder with task.toml, a float64 reference, baselines and seed kernels.
// docs/formats/task.md describes the file; load_task reads and checks it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel/dtype.h"
#include "kernel/expression.h"
#include "kernel/fill.h"
#include "kernel/hash.h"
#include "kernel/result.h"

namespace kernatlas {

class KernelSource;

// A dim's name and its value in one workload, in the order of Task::dims.
using Dims = std::vector<std::int64_t>;

enum class WorkloadRole {
  search,   // timed for fitness; may be shown to a proposer
  holdout,  // never shown to a proposer; must be computed correctly, gates result and export
};

struct Workload {
  std::string name;
  WorkloadRole role = WorkloadRole::search;
  Dims dims;  // parallel to Task::dims
};

// One input or output. Row-major, contiguous.
struct Tensor {
  std::string name;
  DType type = DType::f32;
  std::vector<Expression> shape;  // over Task::dims
  // Inputs only: verification draws from these distributions in turn; never empty.
  std::vector<Fill> fills;
  // Inputs only: a kernel may change it (declared in-place work); restored before every launch.
  bool in_place = false;
  // Outputs only: K of the tolerance rule, the length of the reduction; absent means 1.
  std::optional<Expression> reduction;
  // Outputs only: replaces the default tolerance floor e0 of the type (docs/verification.md).
  std::optional<double> tolerance;

  // Number of elements for these dims; error if a dim is not positive or the product overflows.
  [[nodiscard]] Result<std::int64_t> elements(const Dims& dims) const;
};

// What a user would run instead. The first baseline of a backend is the unit of fitness.
struct Baseline {
  std::string name;
  std::string backend;
  std::shared_ptr<const KernelSource> source;
  std::vector<std::string> libraries;     // trusted libraries to link, e.g. "openblas"
  std::vector<std::string> include_dirs;  // e.g. "/usr/include/eigen3"
};

// An axis a task asks for instead of the backend's default ones (docs/formats/task.md).
struct AxisRequest {
  std::string feature;  // name of a feature, or "tune.NAME" for a tunable's value
  std::string unit;
  std::string scale;                // "linear", "log2", "quantile", "categorical"
  std::vector<double> edges;        // for numeric scales: all boundaries, ascending
  std::vector<std::string> labels;  // for categorical
};

// Immutable once loaded; shared by reference between threads.
struct Task {
  std::string name;  // the folder's name
  std::string summary;
  std::vector<std::string> tags;
  std::vector<std::string> dims;  // names
  std::vector<Workload> workloads;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::shared_ptr<const KernelSource> reference;  // float64, trusted; absent for recorded tasks
  std::vector<Baseline> baselines;
  std::vector<std::shared_ptr<const KernelSource>> seeds;
  std::vector<AxisRequest> axes;  // empty: the backend's default axes
  // A table of measured configurations, the whole content of a recorded task: such a task has no
  // dims, workloads, tensors and sources of its own; the recorded backend makes them from the
  // table.
  std::filesystem::path recorded_table;  // empty for every other task
  std::filesystem::path folder;
  Hash128 hash;  // over every file that takes part: part of the contract

  [[nodiscard]] Names names_of(const Workload& workload) const;
  [[nodiscard]] std::vector<std::size_t> workloads_with(WorkloadRole role) const;
};

// Reads FOLDER/task.toml and everything it names. Errors name file, line, expectation and hint.
// Also checks what only shows when parts meet: shapes positive for every workload, seed kernels'
// arguments known, names unique, at least one search workload.
[[nodiscard]] Result<std::shared_ptr<const Task>> load_task(const std::filesystem::path& folder);

}  // namespace kernatlas
