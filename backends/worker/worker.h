// Worker: the supervisor's side of one sandboxed process that runs one candidate's code.
//
// The process (program kernatlas-worker, backends/worker/program/) is spawned with posix_spawn,
// puts on its own sandbox (docs/sandbox.md), loads the candidate's shared objects from memory files
// sent over its socket, closes the sandbox further (no file, no new mapping that is executable, no
// new thread or process), and then runs launches on buffers in an arena shared with the supervisor.
// It is trusted for nothing: the supervisor reads outputs itself, holds its own clock against the
// worker's, and takes the process' CPU time from the kernel.
//
// One worker serves one candidate; the next candidate gets a fresh process. WorkerPool keeps one
// standby warm, so a start costs the search nothing.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernel/outcome.h"
#include "kernel/result.h"

namespace kernatlas {

// Memory shared by supervisor and workers (memfd). Mapped at different addresses on the two sides:
// buffers are named by their offset. Page-aligned; zero at first.
class Arena {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Arena>> create(std::size_t bytes);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  Arena() = default;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

// Why a worker is gone, in the words of an Outcome: crashed (with the signal), timed_out,
// out_of_memory, rejected (forbidden system call), launch_error (would not load), device_lost (our
// or the machine's fault: never held against the candidate).
struct Fault {
  OutcomeKind kind = OutcomeKind::device_lost;
  std::string message;
};

template <typename T>
using WorkerResult = tl::expected<T, Fault>;

struct WorkerOptions {
  int threads = 1;             // threads that share a launch's grid
  std::vector<int> cpus = {};  // pin to these; thread i gets cpus[i % size]; empty: no pinning
  std::size_t memory_bytes = 1u << 30;  // private memory beyond the arena
  double cpu_s = 300;                   // CPU time over the process' life
  bool trusted = false;                 // baselines and references: no Landlock, libraries may load
  std::vector<std::string> require =
      {};  // layers that must be active, else spawn fails (unavailable)
};

// One launch of a sequence: symbol of the shared object, and how many grid points it covers.
struct LaunchCall {
  std::string symbol;  // void symbol(void* const* buffers, std::int64_t begin, std::int64_t end)
  std::int64_t points = 1;
};

// A module (one workload's shared object) with its launches and its sets of buffers ("slots").
struct Binding {
  std::uint32_t module = 0;          // index into the images given to load()
  std::vector<LaunchCall> launches;  // in order; each finishes before the next starts
  std::vector<std::vector<std::uint64_t>>
      slots;  // per slot: arena offsets of inputs, outputs, workspaces
};

struct RunTimes {
  std::vector<std::int64_t> sample_ns;  // by the worker's clock, one per group
  std::int64_t wall_ns = 0;             // the whole request, by the supervisor's clock
  std::int64_t cpu_ns = 0;              // CPU time the process spent on it, from the kernel
};

// Deadlines are for a process that has its CPU: one that got less than half of one is given up to
// eight times as long.
class Worker {
 public:
  virtual ~Worker() = default;  // kills the whole process group and reaps it

  // Hands over the arena and the images, then closes the sandbox. Once per worker.
  [[nodiscard]] virtual WorkerResult<void> load(
      const Arena& arena, std::span<const std::shared_ptr<const std::string>> images,
      std::chrono::milliseconds deadline) = 0;
  // Resolves symbols and remembers the buffers; replaces an earlier binding.
  [[nodiscard]] virtual WorkerResult<void> bind(const Binding& binding,
                                                std::chrono::milliseconds deadline) = 0;
  // Runs the launch sequence once for every slot of every group, in order; one time per group.
  [[nodiscard]] virtual WorkerResult<RunTimes> run(
      std::span<const std::vector<std::uint32_t>> groups, std::chrono::milliseconds deadline) = 0;
  [[nodiscard]] virtual int pid() const = 0;
};

// Spawns workers; keeps `standby` of them ready. Thread-safe.
class WorkerPool {
 public:
  // `program`: path of kernatlas-worker; empty: beside the running executable.
  [[nodiscard]] static Result<std::unique_ptr<WorkerPool>> create(WorkerOptions options,
                                                                  int standby = 1,
                                                                  std::string program = {});
  virtual ~WorkerPool() = default;
  // A fresh worker that has served nobody. Fault only when the machine is at fault.
  [[nodiscard]] virtual WorkerResult<std::unique_ptr<Worker>> take() = 0;
  // How many workers were started, for reports.
  [[nodiscard]] virtual std::uint64_t started() const = 0;
};

}  // namespace kernatlas
