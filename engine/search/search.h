// Search: the loop. propose → compile → evaluate → settle as a oneTBB pipeline, steady state.
//
// Propose and settle are serial and share the search state (archive, operators, known candidates);
// compile and evaluate run in parallel, bounded by the window. No generation barriers: a slow
// kernel holds up its own slot only.
//
// Ordered mode: the proposal of ticket i sees the archive exactly after settlement i − window; with
// a deterministic bench the same seed gives the same archive bit for bit at any thread count and
// across kill and resume. Settlement i − window happens in the propose step of ticket i, so nothing
// waits.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "archives/archive.h"
#include "backends/backend.h"
#include "engine/search/budget.h"
#include "engine/search/policy.h"
#include "engine/search/stop.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"
#include "kernel/task.h"
#include "operators/operator.h"

namespace kernatlas {

struct SearchOptions {
  std::uint64_t seed = 0;
  std::uint32_t window = 0;  // proposals in flight; 0: default_window()
  bool ordered = false;
  Policy policy;
  Budget budget;
  std::optional<double> target_speedup;
  std::optional<std::uint64_t> stagnation;
  std::size_t archive_depth = 3;
  // Set by a signal handler: 1 finish what is in flight, 2 stop at once.
  const std::atomic<int>* interrupt = nullptr;
};

// Compiler concurrency + devices + 1. An ordered run depends on it: store it with the run.
[[nodiscard]] std::uint32_t default_window(Bench& bench);

// A snapshot for progress lines; cheap, made on the settling thread.
struct SearchStatus {
  Spent spent;
  std::uint64_t duplicates = 0;
  std::vector<std::uint64_t> outcomes;  // by OutcomeKind
  archives::Stats archive;
  std::optional<std::uint64_t> best_ticket;
  double best_fitness = 0;
  Interval best_interval;
  double evaluations_per_s = 0;  // over the recent past
  double eta_s = 0;              // by whichever budget limit comes first; NaN when unknown
  std::uint32_t in_flight = 0;
};

struct SearchEnd {
  std::string reason;  // see StopCondition, or "interrupted"
  SearchStatus status;
};

class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  virtual void settled(const SettledRow& row, const SearchStatus& status) = 0;
};

class Search {
 public:
  // All references outlive the search. `database` is fresh or resumed; what it holds is replayed.
  Search(std::shared_ptr<const Task> task, Bench& bench, OperatorRegistry& operators,
         RunDatabase& database, SearchOptions options);
  ~Search();

  // Replays what is settled, then runs until a stop condition; returns with everything durable.
  // Once per object. Noting the end in the database (set_finish) is the caller's.
  [[nodiscard]] Result<SearchEnd> run(SearchObserver* observer = nullptr);

  // Only after run() returned a value.
  [[nodiscard]] const archives::Archive& archive() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The archive of a finished or running run, rebuilt from its database.
[[nodiscard]] Result<std::unique_ptr<archives::Archive>> rebuild_archive(const RunReader& reader);

}  // namespace kernatlas
