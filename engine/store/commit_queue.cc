#include "engine/store/commit_queue.h"

#include <utility>

namespace kernatlas::store {

CommitQueue::CommitQueue(std::unique_ptr<RunWriter> writer)
    : writer_(std::move(writer)), thread_([this] { work(); }) {}

CommitQueue::~CommitQueue() {
  {
    const std::lock_guard held(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Result<void> CommitQueue::push(Command command) {
  std::unique_lock held(mutex_);
  moved_.wait(held, [&] { return queued_ < kQueueRows || error_; });
  if (error_) return fail(*error_);
  const bool new_group =
      groups_.empty() || groups_.back().commands.size() >= RunDatabase::kCommitRows;
  if (new_group) {
    groups_.push_back({{}, Clock::now()});
    groups_.back().commands.reserve(64);
  }
  groups_.back().commands.push_back(std::move(command));
  ++queued_;
  ++pushed_;
  // The thread sleeps until the group is due: wake it for the first command and for a full group.
  if (queued_ == 1 || queued_ == RunDatabase::kCommitRows) {
    held.unlock();
    wake_.notify_one();
  }
  return {};
}

Result<void> CommitQueue::flush() {
  std::unique_lock held(mutex_);
  const std::uint64_t target = pushed_;
  wanted_ = target;
  wake_.notify_one();
  moved_.wait(held, [&] { return done_ >= target || broken_; });
  if (error_) return fail(*error_);
  return {};
}

std::optional<CommitQueue::Group> CommitQueue::next(std::unique_lock<std::mutex>& held) {
  const auto is_due = [&] {
    return stop_ || wanted_ > done_ || queued_ >= RunDatabase::kCommitRows;
  };
  if (!wake_.wait_for(held, kProgressInterval, [&] { return stop_ || !groups_.empty(); })) {
    return std::nullopt;
  }
  if (groups_.empty()) return std::nullopt;
  wake_.wait_until(held, groups_.front().begun + RunDatabase::kCommitInterval, is_due);
  Group group = std::move(groups_.front());
  groups_.pop_front();
  queued_ -= group.commands.size();
  return group;
}

void CommitQueue::work() {
  std::unique_lock held(mutex_);
  for (;;) {
    const std::optional<Group> group = next(held);
    const bool last = stop_ && groups_.empty();
    const bool usable = !broken_;
    held.unlock();
    moved_.notify_all();
    bool ok = usable;
    if (usable) ok = write(group ? *group : Group{});
    held.lock();
    if (!ok) broken_ = true;
    if (group) done_ += group->commands.size();
    moved_.notify_all();
    if (last) return;
  }
}

bool CommitQueue::write(const Group& group) {
  auto done = writer_->begin();
  if (done) done = apply_all(group);
  if (done) {
    done = writer_->commit(std::chrono::duration<double>(Clock::now() - begun_).count());
  }
  if (done) return true;
  writer_->rollback();
  note(done.error());
  return false;
}

Result<void> CommitQueue::apply_all(const Group& group) {
  for (const Command& command : group.commands) {
    if (auto done = apply(command); !done) return done;
  }
  return {};
}

Result<void> CommitQueue::apply(const Command& command) {
  if (const auto* row = std::get_if<SettledRow>(&command)) {
    auto fresh = writer_->insert(*row);
    if (!fresh) return fail(fresh.error());
    if (!*fresh) {
      note({.code = ErrorCode::internal,
            .message = "ticket " + std::to_string(row->ticket) + " was settled twice",
            .expected = "every ticket settled once",
            .hint = "please report it; the run keeps the first outcome"});
    }
    return {};
  }
  if (const auto* state = std::get_if<StateChange>(&command)) {
    return writer_->put_state(state->key, state->value);
  }
  if (const auto* examination = std::get_if<Examination>(&command)) {
    return writer_->examine(examination->ticket, examination->outcome, examination->unix_ms);
  }
  if (const auto* finish = std::get_if<FinishChange>(&command)) {
    return writer_->finish(finish->reason, finish->unix_ms);
  }
  return writer_->set_budget(std::get<BudgetChange>(command).budget);
}

void CommitQueue::note(Error error) {
  const std::lock_guard held(mutex_);
  if (!error_) error_ = std::move(error);
}

}  // namespace kernatlas::store
