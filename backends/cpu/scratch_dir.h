// ScratchDir: a new folder below another one, removed with everything in it at the end of the
// scope, whatever became of its contents' owner.
#pragma once

#include <filesystem>
#include <system_error>

#include "backends/cpu/object_cache.h"

namespace kernatlas {

class ScratchDir {
 public:
  explicit ScratchDir(const std::filesystem::path& parent)
      : path_(parent / unique_name("scratch-")) {
    std::error_code ignored;  // run_command reports a missing working directory
    std::filesystem::create_directories(path_, ignored);
  }
  ~ScratchDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace kernatlas
