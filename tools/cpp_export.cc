#include "tools/cpp_export.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include "backends/cpu/launcher_source.h"
#include "backends/cpu/prelude_text.h"
#include "backends/cpu/toolchain.h"
#include "backends/verification/tolerance.h"
#include "kernel/fill.h"
#include "kernel/launch_plan.h"
#include "kernel/rng.h"
#include "tools/paths.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr const char* kPlanHead = R"(// Buffers and launches of every workload; generated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

enum class Type { f64, f32, f16, bf16, f8_e4m3, f8_e5m2, i8, u8, i32, i64, boolean };

// Inputs and outputs. An output may be k times as wrong as the baseline, or as wrong as e0 (norm)
// and w0 (worst element).
struct Tensor {
  const char* name;
  Type type;
  std::size_t elements;
  double k, e0, w0;
};

struct Launch {
  const char* symbol;
  std::int64_t points;
};

struct Workload {
  const char* name;
  const char* role;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<std::size_t> workspaces;  // bytes
  std::vector<Launch> launches;
  std::vector<std::size_t> baseline_workspaces;
  std::vector<Launch> baseline_launches;
};

inline const std::vector<Workload> workloads = {
)";

std::string type_text(DType type) {
  return type == DType::boolean ? "Type::boolean" : fmt::format("Type::{}", name(type));
}

Result<std::string> tensors_text(const std::vector<Tensor>& tensors, const Dims& dims,
                                 bool outputs) {
  std::string out = "{";
  for (const Tensor& tensor : tensors) {
    const auto elements = tensor.elements(dims);
    if (!elements) return fail(elements.error());
    Tolerance tolerance;
    if (outputs) {
      const auto found = tolerance_of(tensor, dims);
      if (!found) return fail(found.error());
      tolerance = *found;
    }
    out += fmt::format("{{\"{}\", {}, {}, {}, {}, {}}}, ", tensor.name, type_text(tensor.type),
                       *elements, tolerance.k, tolerance.e0, tolerance.w0);
  }
  return out + "}";
}

std::string launches_text(const LaunchPlan& plan) {
  std::string workspaces = "{";
  for (const std::int64_t bytes : plan.workspace_bytes) workspaces += fmt::format("{}, ", bytes);
  std::string launches = "{";
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const auto& grid = plan.launches[i].grid;
    launches += fmt::format("{{\"{}\", {}}}, ", launch_symbol(i), grid[0] * grid[1] * grid[2]);
  }
  return workspaces + "}, " + launches + "}";
}

// Kernel files come from outside: a quote or a line break in a name must not end our literal.
std::string quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

const Baseline* plain_baseline(const Task& task) {
  for (const Baseline& each : task.baselines) {
    if (each.backend == "cpu" && each.libraries.empty() && each.include_dirs.empty()) return &each;
  }
  return nullptr;
}

constexpr const char* kInclude = "#include \"prelude.h\"\n";

class Exporter {
 public:
  Exporter(const Task& task, const Candidate& candidate, fs::path out)
      : task_(task), candidate_(candidate), out_(std::move(out)) {}

  Result<void> write(const std::string& note) {
    const Baseline* baseline = plain_baseline(task_);
    if (baseline == nullptr || task_.reference == nullptr) {
      return fail({.message = "the task has no reference, or no cpu baseline without libraries",
                   .hint = "export the kernel alone: --to kernel"});
    }
    baseline_ = {baseline->source, Assignment{}, {}};
    for (const Tunable& each : baseline->source->tunables()) {
      baseline_.assignment.push_back(each.values.front());
    }
    std::string plan = kPlanHead;
    for (std::size_t i = 0; i < task_.workloads.size(); ++i) {
      auto text = write_workload(i);
      if (!text) return fail(text.error());
      plan += *text;
    }
    if (auto done = put("plan.h", plan + "};\n"); !done) return done;
    if (auto done = put("prelude.h", std::string(prelude_text())); !done) return done;
    if (auto done = put("main.cpp", std::string(exported_main_text())); !done) return done;
    if (auto done = put("kernel.cpp", candidate_.source->text()); !done) return done;
    if (auto done = put("README.md", note); !done) return done;
    return write_makefile();
  }

 private:
  Result<void> put(const std::string& name, const std::string& text) {
    return write_text(out_ / name, text);
  }

  // Writes one workload's sources and inputs; returns its entry of the plan.
  Result<std::string> write_workload(std::size_t index) {
    const Workload& workload = task_.workloads[index];
    const auto kernel = plan_launches(task_, workload, *candidate_.source, candidate_.assignment);
    if (!kernel) return fail(kernel.error());
    const auto baseline = plan_launches(task_, workload, *baseline_.source, baseline_.assignment);
    if (!baseline) return fail(baseline.error());
    const std::string suffix = fmt::format("_{}.cpp", index);
    const auto source = [](const LauncherSource& unit) { return kInclude + unit.text; };
    for (auto done :
         {put("kernel" + suffix, source(make_launcher_source(task_, *candidate_.source, *kernel))),
          put("baseline" + suffix,
              source(make_launcher_source(task_, *baseline_.source, *baseline))),
          put("reference" + suffix,
              source(make_reference_source(task_, workload, *task_.reference)))}) {
      if (!done) return fail(done.error());
    }
    if (auto done = write_inputs(index); !done) return fail(done.error());
    const auto inputs = tensors_text(task_.inputs, workload.dims, false);
    if (!inputs) return fail(inputs.error());
    const auto outputs = tensors_text(task_.outputs, workload.dims, true);
    if (!outputs) return fail(outputs.error());
    return fmt::format("    {{\"{}\", \"{}\",\n     {},\n     {},\n     {},\n     {}}},\n",
                       quoted(workload.name),
                       workload.role == WorkloadRole::search ? "search" : "holdout", *inputs,
                       *outputs, launches_text(*kernel), launches_text(*baseline));
  }

  Result<void> write_inputs(std::size_t index) {
    const Workload& workload = task_.workloads[index];
    const Names names = task_.names_of(workload);
    for (std::size_t i = 0; i < task_.inputs.size(); ++i) {
      const Tensor& input = task_.inputs[i];
      const auto elements = input.elements(workload.dims);
      if (!elements) return fail(elements.error());
      const Fill& fill = input.fills.front();
      std::int64_t bound = 0;
      if (!fill.bound.empty()) {
        const auto expression = Expression::parse(fill.bound, names.names());
        if (!expression) return fail(expression.error());
        const auto value = expression->evaluate(names.values());
        if (!value) return fail(value.error());
        bound = *value;
      }
      const auto count = static_cast<std::size_t>(*elements);
      std::string data(count * size_of(input.type), '\0');
      Rng rng = stream(1, index, i);
      generate(fill, input.type, data.data(), count, bound, rng);
      if (auto done = put(fmt::format("data/{}_{}.bin", index, input.name), data); !done) {
        return done;
      }
    }
    return {};
  }

  Result<void> write_makefile() {
    const auto toolchain = Toolchain::find(out_);
    if (!toolchain) return fail(toolchain.error());
    if (const auto problem = toolchain->problem_with(candidate_.options); !problem.empty()) {
      return fail({.message = problem});
    }
    const auto flags = [&](const CompileOptions& options) {
      return fmt::format("{}", fmt::join(toolchain->code_flags(options), " "));
    };
    std::string objects;
    for (const char* kind : {"kernel", "reference", "baseline"}) {
      for (std::size_t i = 0; i < task_.workloads.size(); ++i) {
        objects += fmt::format(" {}_{}.so", kind, i);
      }
    }
    // Objects are linked apart from compiling, as in the search: -ffast-math given to the linker
    // would change the floating-point environment of the whole process.
    return put(
        "Makefile",
        fmt::format(
            "CXX_KERNEL = {}\nCXX_PLAIN = {}\nKERNEL_FLAGS = {} -w\nPLAIN_FLAGS = {} -w\n"
            "OBJECTS ={}\n\n"
            ".PHONY: all run clean\n\nall: time_kernel\n\nrun: all\n\t./time_kernel\n\n"
            "time_kernel: main.cpp plan.h prelude.h $(OBJECTS)\n"
            "\t$(CXX_PLAIN) -std=c++20 -O2 -march=native -o $@ main.cpp -ldl\n\n"
            "kernel_%.o: kernel_%.cpp prelude.h\n\t$(CXX_KERNEL) $(KERNEL_FLAGS) -c -o $@ $<\n\n"
            "%.o: %.cpp prelude.h\n\t$(CXX_PLAIN) $(PLAIN_FLAGS) -c -o $@ $<\n\n"
            "%.so: %.o\n\t$(CXX_PLAIN) -shared -o $@ $< -lm\n\n"
            "clean:\n\trm -f *.o *.so time_kernel\n",
            toolchain->compiler_of(candidate_.options).program, toolchain->compiler_of({}).program,
            flags(candidate_.options), flags({}), objects));
  }

  const Task& task_;
  const Candidate& candidate_;
  Candidate baseline_;
  fs::path out_;
};

}  // namespace

Result<void> export_cpp(const Task& task, const Candidate& candidate, const fs::path& out,
                        const std::string& note) {
  std::error_code error;
  if (fs::exists(out, error) && !fs::is_empty(out, error)) {
    return fail({.message = "is not empty",
                 .file = out.string(),
                 .expected = "a folder that does not exist or is empty",
                 .hint = "choose another --out"});
  }
  fs::create_directories(out / "data", error);
  if (error) return fail({.code = ErrorCode::io, .message = error.message(), .file = out.string()});
  auto done = Exporter(task, candidate, out).write(note);
  if (!done) fs::remove_all(out, error);
  return done;
}

}  // namespace kernatlas
