#include "backends/worker/worker_nursery.h"

namespace kernatlas {

WorkerNursery::WorkerNursery(std::string program, WorkerOptions options, int standby)
    : program_(std::move(program)),
      options_(std::move(options)),
      standby_(static_cast<std::size_t>(std::max(standby, 0))),
      thread_([this] { spawn_loop(); }) {}

WorkerNursery::~WorkerNursery() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  work_.notify_all();
  thread_.join();
}

bool WorkerNursery::wanted() const {
  const std::size_t ahead = resting_ ? 0 : standby_;
  return ready_.size() + failures_.size() < waiting_ + ahead;
}

void WorkerNursery::spawn_loop() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return stop_ || wanted(); });
    if (stop_) return;
    lock.unlock();
    auto process = WorkerProcess::start(program_, "serve", options_);
    lock.lock();
    if (process && retired_) continue;  // destroyed here: nobody will ask for it
    if (process) {
      ++started_;
      ready_.push_back(std::move(*process));
    } else if (waiting_ > 0) {
      failures_.push_back(process.error());
    } else {
      resting_ = true;
    }
    news_.notify_all();
  }
}

Result<std::unique_ptr<WorkerProcess>> WorkerNursery::take() {
  std::unique_lock lock(mutex_);
  ++waiting_;
  resting_ = false;
  work_.notify_one();
  news_.wait(lock, [this] { return !ready_.empty() || !failures_.empty(); });
  --waiting_;
  if (ready_.empty()) {
    Error error = std::move(failures_.front());
    failures_.pop_front();
    return tl::unexpected(std::move(error));
  }
  auto process = std::move(ready_.front());
  ready_.pop_front();
  if (waiting_ == 0) failures_.clear();
  work_.notify_one();
  return process;
}

void WorkerNursery::put_back(std::unique_ptr<WorkerProcess> process) {
  const std::lock_guard lock(mutex_);
  ready_.push_front(std::move(process));
  news_.notify_all();
}

void WorkerNursery::retire() {
  std::deque<std::unique_ptr<WorkerProcess>> dying;
  const std::lock_guard lock(mutex_);
  retired_ = true;
  standby_ = 0;
  dying.swap(ready_);
}

std::uint64_t WorkerNursery::started() const {
  const std::lock_guard lock(mutex_);
  return started_;
}

}  // namespace kernatlas
