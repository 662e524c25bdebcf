// NewFolder: makes RUN for a new run, and takes back everything it made unless told to keep it.
// Private to engine/store.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/store/run_lock.h"
#include "kernel/result.h"

namespace kernatlas::store {

class NewFolder {
 public:
  // RUN must not exist or be empty; missing parents are made; the run's lock is taken. What a
  // creation that was killed left behind (the lock, an unfinished database) counts as empty.
  [[nodiscard]] static Result<NewFolder> make(const std::filesystem::path& run_dir);

  NewFolder(NewFolder&& other) noexcept;
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  // The database is built under this name.
  [[nodiscard]] std::filesystem::path unfinished_database() const;
  // Makes the complete database a run: renames it and syncs the folder. Still taken back by the
  // destructor.
  [[nodiscard]] Result<void> publish();
  // Keeps everything, and hands over the lock.
  [[nodiscard]] RunLock keep();

 private:
  explicit NewFolder(std::filesystem::path run_dir) : run_dir_(std::move(run_dir)) {}
  [[nodiscard]] Result<void> make_folders();
  void remove_unfinished() const;
  std::filesystem::path run_dir_;
  std::vector<std::filesystem::path> made_;  // folders, outermost first
  std::optional<RunLock> lock_;              // held: the files in the folder are ours to remove
};

}  // namespace kernatlas::store
