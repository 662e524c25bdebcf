// RunLock: at most one process writes a run. RUN/lock is held with flock(2) and says who holds it.
//
// The lock belongs to the open file, so the kernel drops it however the process dies; what a dead
// process wrote into the file is no obstacle. The file is never removed while the folder is a run:
// removing it would let two processes lock two different files of the same name.
#pragma once

#include <filesystem>
#include <string>

#include "kernel/result.h"

namespace kernatlas::store {

class RunLock {
 public:
  // Errors: `locked` names the holder (process, host, program, since when); `io` when the file
  // cannot be made or the file system has no locks.
  [[nodiscard]] static Result<RunLock> acquire(const std::filesystem::path& run_dir);

  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&& other) noexcept;
  ~RunLock();

  [[nodiscard]] static std::filesystem::path file_of(const std::filesystem::path& run_dir) {
    return run_dir / "lock";
  }

 private:
  [[nodiscard]] static Result<RunLock> acquire_file(const std::filesystem::path& file);
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

// "process 4711 on host node3, kernatlas, since 2026-01-31 18:00:00 UTC": this process, now.
[[nodiscard]] std::string process_text();

}  // namespace kernatlas::store
