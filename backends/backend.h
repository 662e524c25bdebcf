// The contract every backend keeps: a few small interfaces, picked by name from a registry that is
// an object passed in. docs/adding-a-backend.md walks through a new one.
//
//   Backend    what it is, whether it works here, what it can do; opens a Bench for a task
//   Bench      everything prepared for one task: baselines, input sets, devices
//   Compiler   candidate → Compiled (code + features + log), or the Outcome that explains the
//   failure Evaluator  one device, exclusive: Compiled → Outcome, and interleaved comparisons
//
// Failures of a candidate are Outcomes, never exceptions and never Errors. An Error means that we
// or the machine are at fault; the search stops or retries, and nothing is held against the
// candidate.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/outcome.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

struct DeviceInfo {
  std::string model;     // "AMD EPYC 9354", "NVIDIA H200", …
  std::string driver;    // kernel or driver version
  std::string compiler;  // compiler and version
  int index = 0;
  // What a time means: device model, driver, compiler, threads, cache mode. Times of different
  // contracts never meet in one archive without being measured again.
  [[nodiscard]] std::string contract_text() const;
  std::string conditions;  // "threads=1 cache=cold"
};

// Code for every workload of the task, in Task::workloads order: a shared object, a CUBIN, SPIR-V,
// … For backends without code (recorded) the images are empty.
struct Compiled {
  std::vector<std::shared_ptr<const std::string>> images;
  Hash128 binary;  // of all images
  Features features;
  std::string log;       // warnings; bounded
  double compile_s = 0;  // wall time this call took
  bool cached = false;
};

using CompiledPtr = std::shared_ptr<const Compiled>;

class Compiler {
 public:
  virtual ~Compiler() = default;
  // Thread-safe. The failure is an Outcome with its stage, message and detail filled in.
  [[nodiscard]] virtual tl::expected<CompiledPtr, Outcome> compile(const Candidate& candidate) = 0;
  // How many compilations may usefully run at once.
  [[nodiscard]] virtual int concurrency() const = 0;
};

// What the candidate has to beat, for racing; absent: measure fully.
struct Incumbent {
  double fitness = 0;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  // Verify, time, verify. Not thread-safe: one call at a time per evaluator.
  // `ticket` seeds nothing secret; deterministic backends derive injected noise from it.
  [[nodiscard]] virtual Outcome evaluate(const Candidate& candidate, const Compiled& compiled,
                                         std::uint64_t ticket,
                                         const std::optional<Incumbent>& incumbent) = 0;
  // Interleaved re-measurement over the search workloads, ABBA order.
  [[nodiscard]] virtual Comparison compare(const Candidate& challenger, const Compiled& a,
                                           const Candidate& incumbent, const Compiled& b,
                                           std::uint64_t ticket) = 0;
  // Verifies on the holdout workloads and times them too: WorkloadTime entries for every workload.
  [[nodiscard]] virtual Outcome examine(const Candidate& candidate, const Compiled& compiled,
                                        std::uint64_t ticket) = 0;
  [[nodiscard]] virtual DeviceInfo info() const = 0;
};

struct BaselineTime {
  std::string name;
  std::vector<double> median_ns;  // per Task::workloads; NaN where it could not run
  std::string unavailable;        // why, when it could not run at all
};

// Everything prepared for one task on one backend.
class Bench {
 public:
  virtual ~Bench() = default;
  [[nodiscard]] virtual Compiler& compiler() = 0;
  // One per device; size() ≥ 1. The engine uses each from one thread at a time.
  [[nodiscard]] virtual std::vector<Evaluator*> evaluators() = 0;
  // Compile options that operators may move, as tunables; may be empty.
  [[nodiscard]] virtual const std::vector<Tunable>& options() const = 0;
  // Axes used when the task asks for none.
  [[nodiscard]] virtual std::vector<AxisRequest> default_axes() const = 0;
  [[nodiscard]] virtual const std::vector<BaselineTime>& baselines() const = 0;
  // Weaknesses of the task that a cheat could live on, one sentence each, found by running the
  // reference on perturbed inputs: an output that is constant or ignores an input. Empty: none
  // found.
  [[nodiscard]] virtual Result<std::vector<std::string>> lint() {
    return std::vector<std::string>{};
  }
  // True when the same ticket always gives the same outcome: what `--ordered` reproducibility
  // needs.
  [[nodiscard]] virtual bool deterministic() const { return false; }
};

struct BenchOptions {
  std::filesystem::path cache_dir;                // compiled objects; empty: no disk cache
  std::uint64_t seed = 0;                         // run seed: for deterministic backends
  int threads = 1;                                // CPU: threads per launch
  int devices = 0;                                // 0: all (recorded: how many simulated devices)
  bool warm = false;                              // warm caches instead of cold
  std::vector<std::string> require;               // sandbox layers that must be active
  std::map<std::string, std::string> parameters;  // backend's own, "table" → "x.csv.gz"
  const std::atomic<bool>* cancel = nullptr;      // set: return as soon as possible
  std::function<void(const std::string&)> note;   // one-line progress notes for people; may be null
};

// One line of `kernatlas doctor`.
struct Check {
  enum class State { on, unsupported, off, missing } state = State::on;
  std::string name;
  std::string detail;  // why, or a version
};

class Backend {
 public:
  virtual ~Backend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::vector<Language> languages() const = 0;
  // Empty when usable here; else why not (Error code unavailable).
  [[nodiscard]] virtual std::optional<Error> unavailable() const = 0;
  // Tools, sandbox layers, devices: everything a user would want to know.
  [[nodiscard]] virtual std::vector<Check> diagnose() const = 0;
  // Names and descriptions of BenchOptions::parameters this backend understands.
  [[nodiscard]] virtual std::map<std::string, std::string> parameters() const { return {}; }
  [[nodiscard]] virtual Result<std::unique_ptr<Bench>> open(std::shared_ptr<const Task> task,
                                                            const BenchOptions& options) const = 0;
};

class BackendRegistry {
 public:
  void add(std::unique_ptr<Backend> backend);  // the name must be new
  [[nodiscard]] const Backend* find(const std::string& name) const;
  [[nodiscard]] std::vector<const Backend*> all() const;

 private:
  std::vector<std::unique_ptr<Backend>> backends_;
};

// Every backend this build knows.
[[nodiscard]] BackendRegistry default_backends();

}  // namespace kernatlas
