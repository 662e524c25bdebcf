// RunDatabase: the truth about one run, in RUN/run.db (SQLite, WAL). docs/formats/run-directory.md
// describes the directory and the schema.
//
// A row is settled once its transaction is committed: after `kill -9` or a power cut at any instant
// every settled row is there, none twice. Writing is grouped on a thread of its own: settle() hands
// a row over and returns; the commit follows within kCommitInterval or kCommitRows rows, whichever
// is first.
//
// Thread safety: one thread at a time; other threads and processes open their own RunReader.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/outcome.h"
#include "kernel/result.h"

namespace kernatlas {

// What a run is; written once, never changed (budget aside, which `resume` may raise).
struct RunInfo {
  std::string task;       // name
  std::string task_hash;  // hex
  std::string backend;
  std::string parameters_json;  // BenchOptions that matter for resume: threads, warm, table, …
  std::string policy;
  std::uint64_t seed = 0;
  bool ordered = false;
  std::uint32_t window = 1;    // proposals in flight
  std::string budget;          // as typed, normalised
  std::string contract;        // DeviceInfo::contract_text() of the first device
  std::string axes_json;       // archive axes: engine/search/axes.h writes and reads it
  std::string options_json;    // the backend's compile options, as tunables
  std::string baselines_json;  // BaselineTime list
  std::string archive_kind = "grid";
  std::uint32_t archive_depth = 3;
  double target_speedup = 0;     // stop there; 0: no such condition
  std::uint64_t stagnation = 0;  // stop after so many evaluations without a gain; 0: never
  std::string program_version;
  std::int64_t created_unix = 0;
};

// Whether and how the archive took the candidate.
struct Verdict {
  enum class Kind : std::uint8_t { none, rejected, improved, opened, contested, refused };
  Kind kind = Kind::none;  // none: not measured, the archive was never asked
  std::uint64_t cell = 0;
  double gain = 0;
  bool kept = false;
  // The comparison that decided it, where one was made.
  std::optional<Comparison> comparison;
  std::uint64_t compared_with = 0;  // ticket
};
[[nodiscard]] std::string_view name(Verdict::Kind kind);

// One settled evaluation.
struct SettledRow {
  std::uint64_t ticket = 0;
  Hash128 candidate;
  KernelSourcePtr source;  // stored once, compressed
  std::string assignment;  // to_text(); empty for none
  std::string options;     // to_text(); empty for defaults
  std::string op;          // operator name
  std::vector<std::uint64_t> parents;
  std::uint32_t duplicates_before = 0;  // duplicates drawn and skipped while making this proposal
  Outcome outcome;
  Verdict verdict;
  std::int64_t settled_unix_ms = 0;
};

// What resume and rebuilding an archive need, without the cold columns: cheap to stream by the
// million.
struct HotRow {
  std::uint64_t ticket = 0;
  Hash128 candidate;
  std::uint32_t op = 0;  // index into operator names()
  std::uint32_t duplicates_before = 0;
  OutcomeKind kind = OutcomeKind::measured;
  Verdict::Kind verdict = Verdict::Kind::none;
  std::uint64_t cell = 0;
  bool kept = false;
  double gain = 0;
  double fitness = 0;
  Interval fitness_interval;
  double cost_s = 0;
};

// How a run ended the last time it was closed properly; empty text while it runs or after a crash.
struct Finish {
  std::string reason;  // "budget", "interrupted", "exhausted", …
  std::uint64_t evaluations = 0;
  std::int64_t unix_ms = 0;
};

// Reads a run; any number at once, also while another process writes.
//
// Each call sees what was committed when it began. Thread safety: one thread at a time per reader;
// a callback may call other methods of the same reader, which then see the same moment.
class RunReader {
 public:
  // All totals of one moment: evaluations == sum of outcomes, whatever a writer does meanwhile.
  struct Totals {
    std::uint64_t evaluations = 0;
    std::uint64_t duplicates = 0;
    double elapsed_s = 0;
    std::vector<std::pair<OutcomeKind, std::uint64_t>> outcomes;
    Finish finish;
  };

  // Errors: missing, not a run (foreign SQLite file or none), newer schema, damaged. Each with a
  // hint.
  [[nodiscard]] static Result<std::unique_ptr<RunReader>> open(
      const std::filesystem::path& run_dir);
  virtual ~RunReader() = default;

  [[nodiscard]] virtual RunInfo info() const = 0;
  [[nodiscard]] virtual Finish finish() const = 0;
  [[nodiscard]] virtual double elapsed_s() const = 0;  // active time over all sessions
  [[nodiscard]] virtual std::uint64_t evaluations() const = 0;
  [[nodiscard]] virtual std::uint64_t duplicates() const = 0;
  // Count by outcome kind; adds up to evaluations().
  [[nodiscard]] virtual std::vector<std::pair<OutcomeKind, std::uint64_t>> outcomes() const = 0;
  // Asked one by one, totals are of different moments while somebody writes: use this instead.
  [[nodiscard]] virtual Totals totals() const {
    return {evaluations(), duplicates(), elapsed_s(), outcomes(), finish()};
  }
  [[nodiscard]] virtual std::vector<std::string> operators() const = 0;
  // Every row from `from_ticket` on, in ticket order; stops when `row` returns false.
  virtual void hot_rows(std::uint64_t from_ticket,
                        const std::function<bool(const HotRow&)>& row) const = 0;
  // Rows whose verdict says kept, whole, in ticket order: what an archive is rebuilt from.
  virtual void kept_rows(const std::function<bool(const SettledRow&)>& row) const = 0;
  [[nodiscard]] virtual std::optional<SettledRow> row(std::uint64_t ticket) const = 0;
  // The ticket of a candidate id, or of the only one whose hex starts with `prefix` (≥ 4 digits).
  [[nodiscard]] virtual Result<std::uint64_t> find(const std::string& prefix) const = 0;
  // Latest re-examination of an elite (holdouts verified, timed again), if any.
  [[nodiscard]] virtual std::optional<Outcome> examination(std::uint64_t ticket) const = 0;

  // The first damage or disk error that any call has met; that call gave what it had read until
  // then. A full pass of hot_rows(0, …) also checks the number of rows against the totals.
  [[nodiscard]] virtual Result<void> health() const { return {}; }
};

class RunDatabase {
 public:
  static constexpr std::chrono::milliseconds kCommitInterval{50};
  static constexpr std::size_t kCommitRows = 2000;

  // Creates RUN (must not exist, or be empty) and RUN/run.db, and takes the lock. Nothing is left
  // behind when it fails.
  [[nodiscard]] static Result<std::unique_ptr<RunDatabase>> create(
      const std::filesystem::path& run_dir, const RunInfo& info);
  // Opens for writing and takes the lock; Error code `locked` says who holds it.
  [[nodiscard]] static Result<std::unique_ptr<RunDatabase>> open(
      const std::filesystem::path& run_dir);
  // Commits what is queued as far as it can; call flush() first to hear of errors.
  virtual ~RunDatabase() = default;

  // Queues a row; blocks only when far ahead of the disk. An earlier write error is returned here
  // and by every later call: the search stops, what was committed stays. A ticket that is already
  // settled is such an error (internal): the first row stays, other rows are kept.
  [[nodiscard]] virtual Result<void> settle(SettledRow row) = 0;
  // Returns once everything queued is on disk.
  [[nodiscard]] virtual Result<void> flush() = 0;
  // Examinations, finish and budget are on disk when the call returns.
  [[nodiscard]] virtual Result<void> add_examination(std::uint64_t ticket,
                                                     const Outcome& outcome) = 0;
  [[nodiscard]] virtual Result<void> set_finish(const std::string& reason) = 0;
  [[nodiscard]] virtual Result<void> set_budget(const std::string& budget) = 0;
  // A small named blob for policies' own state; replaces an older one. Committed with the rows
  // queued before it. state() gives the newest value, committed or not.
  [[nodiscard]] virtual Result<void> put_state(const std::string& key,
                                               const std::string& value) = 0;
  [[nodiscard]] virtual std::optional<std::string> state(const std::string& key) const = 0;
  // Sees what is committed: call flush() before it where that matters.
  [[nodiscard]] virtual const RunReader& reader() const = 0;
};

}  // namespace kernatlas
