#include "backends/cpu/cpu_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <semaphore>
#include <system_error>
#include <thread>

#include "backends/cpu/elf_image.h"
#include "backends/cpu/launcher_source.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/object_features.h"
#include "backends/cpu/object_inspection.h"
#include "backends/cpu/toolchain.h"
#include "backends/cpu/unit_builder.h"
#include "kernel/launch_plan.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Outcome outcome_of(UnitFailure failure) {
  Outcome outcome;
  outcome.kind = failure.kind;
  outcome.stage = failure.stage;
  outcome.message = std::move(failure.message);
  outcome.detail = std::move(failure.detail);
  return outcome;
}

UnitFailure plan_failure(const Error& error) {
  // A plan that is fine elsewhere but asks for too much: larger than any machine of ours allows.
  const bool too_large = error.message.starts_with("the workspace ");
  return {too_large ? OutcomeKind::resource_limit : OutcomeKind::compile_error, Stage::plan,
          error.message, error.text().substr(0, kDetailLimit)};
}

// One workload's unit, and the plan it was made from.
struct Unit {
  UnitRequest request;
  LaunchPlan plan;
};

// A fresh folder for a compiler without a cache; removed at the end.
class OwnedFolder {
 public:
  OwnedFolder() = default;
  ~OwnedFolder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
  OwnedFolder(const OwnedFolder&) = delete;
  OwnedFolder& operator=(const OwnedFolder&) = delete;
  fs::path path;
};

class CpuCompilerImpl : public CpuCompiler {
 public:
  CpuCompilerImpl(std::shared_ptr<const Task> task, const CpuCompilerOptions& options,
                  Toolchain toolchain, const fs::path& folder, std::unique_ptr<OwnedFolder> owned)
      : owned_(std::move(owned)),
        task_(std::move(task)),
        inspect_(options.inspect),
        toolchain_(std::move(toolchain)),
        concurrency_(static_cast<int>(options.cpus.empty()
                                          ? std::max(1u, std::thread::hardware_concurrency())
                                          : options.cpus.size())),
        slots_(concurrency_),
        builder_(toolchain_, folder, owned_ ? 0 : options.cache_bytes, options.cpus) {}

  tl::expected<CompiledPtr, Outcome> compile(const Candidate& candidate) override {
    const auto start = Clock::now();
    auto units = plan_units(candidate);
    if (!units) return tl::unexpected(failed(std::move(units.error()), start));
    auto compiled = compile_units(*units, start);
    if (!compiled) return tl::unexpected(failed(std::move(compiled.error()), start));
    return *compiled;
  }

  int concurrency() const override { return concurrency_; }
  const std::vector<Tunable>& options() const override { return toolchain_.options(); }
  std::string version() const override { return toolchain_.default_text(); }

  Result<CompiledPtr> compile_baseline(const Baseline& baseline) override {
    if (baseline.source->language() != Language::cpp) {
      return fail({.message = "the baseline is not a cpp program",
                   .file = baseline.source->file(),
                   .expected = "a .cpp file"});
    }
    std::vector<Unit> units;
    for (const Workload& workload : task_->workloads) {
      // A baseline with tunables runs with the first value of each.
      Assignment first;
      for (const Tunable& tunable : baseline.source->tunables()) {
        first.push_back(tunable.values.front());
      }
      auto plan = plan_launches(*task_, workload, *baseline.source, first);
      if (!plan) return fail(plan.error());
      Unit unit{{make_launcher_source(*task_, *baseline.source, *plan),
                 baseline.source->text(),
                 {},
                 true,
                 baseline.libraries,
                 baseline.include_dirs},
                std::move(*plan)};
      units.push_back(std::move(unit));
    }
    return compile_trusted(units, baseline.source->file());
  }

  Result<CompiledPtr> compile_reference() override {
    if (!task_->reference) {
      return fail({.message = "the task has no reference", .file = task_->folder.string()});
    }
    std::vector<Unit> units;
    for (const Workload& workload : task_->workloads) {
      Unit unit;
      unit.request.unit = make_reference_source(*task_, workload, *task_->reference);
      unit.request.candidate_text = task_->reference->text();
      unit.request.trusted = true;
      units.push_back(std::move(unit));
    }
    return compile_trusted(units, task_->reference->file());
  }

 private:
  static Outcome failed(UnitFailure failure, Clock::time_point start) {
    Outcome outcome = outcome_of(std::move(failure));
    outcome.costs.compile_s = seconds_since(start);
    return outcome;
  }

  tl::expected<std::vector<Unit>, UnitFailure> plan_units(const Candidate& candidate) const {
    const KernelSource& source = *candidate.source;
    if (source.language() != Language::cpp) {
      return tl::unexpected(
          UnitFailure{OutcomeKind::compile_error,
                      Stage::plan,
                      fmt::format("the cpu backend compiles cpp, not {}", name(source.language())),
                      {}});
    }
    if (std::string problem = toolchain_.problem_with(candidate.options); !problem.empty()) {
      return tl::unexpected(
          UnitFailure{OutcomeKind::compile_error, Stage::plan, std::move(problem), {}});
    }
    if (source.launches().empty()) {
      return tl::unexpected(UnitFailure{
          OutcomeKind::compile_error, Stage::plan, "the front matter declares no [[launch]]", {}});
    }
    std::vector<Unit> units;
    for (const Workload& workload : task_->workloads) {
      auto plan = plan_launches(*task_, workload, source, candidate.assignment);
      if (!plan) return tl::unexpected(plan_failure(plan.error()));
      Unit unit;
      unit.request.unit = make_launcher_source(*task_, source, *plan);
      unit.request.candidate_text = source.text();
      unit.request.options = candidate.options;
      unit.plan = std::move(*plan);
      units.push_back(std::move(unit));
    }
    return units;
  }

  // Index of the workload whose object the features describe.
  [[nodiscard]] std::size_t featured_workload() const {
    const auto searched = task_->workloads_with(WorkloadRole::search);
    return searched.empty() ? 0 : searched.front();
  }

  // Empty when the object may run. Sets `features` for the featured workload.
  std::optional<UnitFailure> examine(const Unit& unit, const CachedObject& object,
                                     Features* features) const {
    const auto image = ElfImage::parse(object.image);
    if (!image) {
      return UnitFailure{OutcomeKind::rejected, Stage::inspect, image.error().message, {}};
    }
    const MachineCode code = decode_machine_code(*image);
    if (features != nullptr) *features = cpu_features(code, unit.plan);
    if (!inspect_ || unit.request.trusted) return std::nullopt;
    const auto findings = inspect_object(*image, code, unit.request.unit.launches);
    if (findings.empty()) return std::nullopt;
    UnitFailure failure{OutcomeKind::rejected, Stage::inspect, finding_text(findings.front()), {}};
    for (const InspectionFinding& finding : findings) {
      if (failure.detail.size() < kDetailLimit) failure.detail += finding_text(finding) + "\n";
    }
    if (failure.detail.size() > kDetailLimit) failure.detail.resize(kDetailLimit);
    return failure;
  }

  tl::expected<UnitObject, UnitFailure> build_one(const Unit& unit, Features* features) {
    slots_.acquire();
    auto built = builder_.build(unit.request);
    slots_.release();
    if (!built) return built;
    if (auto failure = examine(unit, built->object, features)) {
      return tl::unexpected(std::move(*failure));
    }
    return built;
  }

  // Units start in order and none starts after a failure, so which failure is reported, the one of
  // the lowest index, does not depend on timing.
  tl::expected<CompiledPtr, UnitFailure> compile_units(const std::vector<Unit>& units,
                                                       Clock::time_point start) {
    std::vector<std::optional<tl::expected<UnitObject, UnitFailure>>> results(units.size());
    const auto compiled = std::make_shared<Compiled>();
    std::atomic<std::size_t> next{0};
    std::atomic<bool> stop{false};
    const std::size_t featured = featured_workload();
    const auto work = [&] {
      for (std::size_t i = next++; i < units.size() && !stop; i = next++) {
        results[i] = build_one(units[i], i == featured ? &compiled->features : nullptr);
        if (!*results[i]) stop = true;
      }
    };
    {
      const std::size_t helpers =
          std::min<std::size_t>(units.size(), static_cast<std::size_t>(concurrency_)) - 1;
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < helpers; ++i) threads.emplace_back(work);
      work();
    }
    compiled->cached = true;
    compiled->binary = hash128({});
    for (std::size_t i = 0; i < units.size(); ++i) {
      // A unit without a result was not started, because one before it had failed.
      if (!*results[i]) return tl::unexpected(std::move(results[i]->error()));
      UnitObject& made = **results[i];
      compiled->cached = compiled->cached && made.cached;
      compiled->binary = combine(compiled->binary, hash128(made.object.image));
      if (i == featured) compiled->log = std::move(made.object.log);
      compiled->images.push_back(std::make_shared<const std::string>(std::move(made.object.image)));
    }
    compiled->compile_s = seconds_since(start);
    return compiled;
  }

  Result<CompiledPtr> compile_trusted(const std::vector<Unit>& units, const std::string& file) {
    auto compiled = compile_units(units, Clock::now());
    if (compiled) return *compiled;
    const UnitFailure& failure = compiled.error();
    const std::string& log = failure.detail;
    const bool header = log.find("No such file or directory") != std::string::npos;
    const bool library = log.find("cannot find -l") != std::string::npos;
    const bool ours = failure.kind == OutcomeKind::device_lost;
    Error error;
    error.code = header || library || ours ? ErrorCode::unavailable : ErrorCode::bad_input;
    error.file = file;
    error.message = failure.message;
    if (!header && !library && !log.empty()) error.message += "\n" + log;
    if (header || library) error.hint = "install the development package that provides it";
    return fail(std::move(error));
  }

  std::unique_ptr<OwnedFolder> owned_;  // first: outlives what writes into it
  std::shared_ptr<const Task> task_;
  bool inspect_;
  Toolchain toolchain_;
  int concurrency_;
  std::counting_semaphore<> slots_;
  UnitBuilder builder_;
};

}  // namespace

Result<std::unique_ptr<CpuCompiler>> CpuCompiler::create(std::shared_ptr<const Task> task,
                                                         CpuCompilerOptions options) {
  KERNATLAS_CHECK(task != nullptr && !task->workloads.empty());
  std::error_code error;
  std::unique_ptr<OwnedFolder> owned;
  fs::path folder = fs::absolute(options.cache_dir, error);
  if (options.cache_dir.empty()) {
    owned = std::make_unique<OwnedFolder>();
    owned->path = fs::temp_directory_path(error) / unique_name("kernatlas-");
    folder = owned->path;
  }
  fs::create_directories(folder, error);
  if (error) {
    return fail({.code = ErrorCode::io,
                 .message = "cannot make the folder for compiled kernels: " + error.message(),
                 .file = folder.string()});
  }
  auto toolchain = Toolchain::find(folder);
  if (!toolchain) return fail(toolchain.error());
  return std::make_unique<CpuCompilerImpl>(std::move(task), options, std::move(*toolchain), folder,
                                           std::move(owned));
}

}  // namespace kernatlas
