// CommitQueue: a bounded queue in front of a RunWriter on a thread of its own; what is queued is
// written in groups, one transaction each. Private to engine/store.
//
// A group is committed when its first command is kCommitInterval old, when it has kCommitRows
// commands, or when somebody flushes. Commands are applied in the order in which they came.
//
// Thread safety: any thread may call any method.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "engine/store/run_database.h"
#include "engine/store/run_writer.h"

namespace kernatlas::store {

struct StateChange {
  std::string key;
  std::string value;
};
struct Examination {
  std::uint64_t ticket = 0;
  Outcome outcome;
  std::int64_t unix_ms = 0;
};
struct FinishChange {
  std::string reason;
  std::int64_t unix_ms = 0;
};
struct BudgetChange {
  std::string budget;
};
using Command = std::variant<SettledRow, StateChange, Examination, FinishChange, BudgetChange>;

class CommitQueue {
 public:
  explicit CommitQueue(std::unique_ptr<RunWriter> writer);
  // Commits what is queued, then ends the thread.
  ~CommitQueue();
  CommitQueue(const CommitQueue&) = delete;
  CommitQueue& operator=(const CommitQueue&) = delete;

  // Blocks while kQueueRows are waiting. After a failure: that failure.
  [[nodiscard]] Result<void> push(Command command);
  // Waits until everything pushed before is committed or lost; an error says what went wrong.
  [[nodiscard]] Result<void> flush();

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kQueueRows = 4 * RunDatabase::kCommitRows;
  // While nothing is settled, the elapsed time is stored this often.
  static constexpr std::chrono::seconds kProgressInterval{5};

  struct Group {
    std::vector<Command> commands;
    Clock::time_point begun;
  };

  void work();
  // The next group, when it is time for it; nothing when it is time to store progress only, or to
  // stop. Called with the mutex held.
  [[nodiscard]] std::optional<Group> next(std::unique_lock<std::mutex>& held);
  // One transaction. False when the writer must not be used again.
  bool write(const Group& group);
  [[nodiscard]] Result<void> apply_all(const Group& group);
  [[nodiscard]] Result<void> apply(const Command& command);
  void note(Error error);

  std::unique_ptr<RunWriter> writer_;  // of the thread, once it runs
  const Clock::time_point begun_ = Clock::now();

  std::mutex mutex_;
  std::condition_variable wake_;   // for the thread: work, or a reason to hurry
  std::condition_variable moved_;  // for callers: space, or progress
  std::deque<Group> groups_;
  std::size_t queued_ = 0;
  std::uint64_t pushed_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t wanted_ = 0;  // flush: commit up to here without waiting
  std::optional<Error> error_;
  bool broken_ = false;  // nothing can be written any more
  bool stop_ = false;
  std::thread thread_;  // last: it uses the rest
};

}  // namespace kernatlas::store
