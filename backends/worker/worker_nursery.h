// WorkerNursery: the thread that spawns workers ahead of need. It is the parent of every worker as
// far as the kernel's parent-death signal is concerned, so it lives as long as any of them: each
// holds a share of it.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "backends/worker/worker_process.h"

namespace kernatlas {

class WorkerNursery {
 public:
  WorkerNursery(std::string program, WorkerOptions options, int standby);
  ~WorkerNursery();
  WorkerNursery(const WorkerNursery&) = delete;
  WorkerNursery& operator=(const WorkerNursery&) = delete;

  // Waits for the next warm process. Thread-safe.
  [[nodiscard]] Result<std::unique_ptr<WorkerProcess>> take();
  // Puts back one that has served nobody.
  void put_back(std::unique_ptr<WorkerProcess> process);
  // Ends the standbys; no more are spawned ahead.
  void retire();
  [[nodiscard]] std::uint64_t started() const;
  [[nodiscard]] const WorkerOptions& options() const { return options_; }

 private:
  void spawn_loop();
  [[nodiscard]] bool wanted() const;  // with mutex_ held

  const std::string program_;
  const WorkerOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable news_;
  std::deque<std::unique_ptr<WorkerProcess>> ready_;
  std::deque<Error> failures_;
  std::size_t standby_;
  std::size_t waiting_ = 0;
  std::uint64_t started_ = 0;
  bool resting_ = false;  // the last spawn ahead of need failed: wait for a real need
  bool retired_ = false;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace kernatlas
