// SharedArchive: an archive with its lock, for readers that look while a search adds.
//
// One readers-writer lock over the whole archive: any number of read() at a time, add() alone.
// Whatever read() hands out of the archive (pointers, spans) is valid only inside the call; to keep
// something, copy it or take a snapshot. Do not call add() from inside read(): it would wait for
// itself.
#pragma once

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <utility>

#include "archives/archive.h"

namespace kernatlas::archives {

class SharedArchive {
 public:
  // Throws std::invalid_argument for null.
  explicit SharedArchive(std::unique_ptr<Archive> archive) : archive_(std::move(archive)) {
    if (!archive_) throw std::invalid_argument("SharedArchive: needs an archive");
  }

  AddOutcome add(Entry entry, const std::optional<Evidence>& evidence = std::nullopt) {
    const std::unique_lock lock(mutex_);
    return archive_->add(std::move(entry), evidence);
  }
  std::vector<AddOutcome> add_batch(std::vector<Entry> entries) {
    const std::unique_lock lock(mutex_);
    return archive_->add_batch(std::move(entries));
  }

  // What `look(const Archive&)` returns.
  template <typename Look>
  auto read(Look&& look) const {
    const std::shared_lock lock(mutex_);
    return std::forward<Look>(look)(std::as_const(*archive_));
  }
  [[nodiscard]] Stats stats() const {
    return read([](const Archive& archive) { return archive.stats(); });
  }
  // Everything, at one moment; ArchiveKinds::restore makes an archive of it. Writers wait while it
  // is copied: O(stored).
  [[nodiscard]] ArchiveState snapshot() const {
    return read([](const Archive& archive) { return archive.state(); });
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unique_ptr<Archive> archive_;
};

}  // namespace kernatlas::archives
