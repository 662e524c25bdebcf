// ObjectCache: compiled objects on disk, by content hash. Bounded: least recently used first (by
// modification time, which a hit renews). Any number of threads and processes may share a folder:
// entries are written to a temporary file and renamed, and carry a checksum; what is corrupt, cut
// short or of another version counts as absent and is replaced.
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "kernel/hash.h"

namespace kernatlas {

struct CachedObject {
  std::string image;
  std::string log;
};

class ObjectCache {
 public:
  // `folder` empty: a cache that never holds anything. Created when missing; a folder that cannot
  // be written makes put() do nothing: a cache is never a reason to fail.
  ObjectCache(std::filesystem::path folder, std::size_t max_bytes);

  [[nodiscard]] std::optional<CachedObject> get(const Hash128& key);
  void put(const Hash128& key, const CachedObject& object);
  // Sum of the entries' sizes, by a fresh look at the folder.
  [[nodiscard]] std::size_t bytes() const;

 private:
  [[nodiscard]] std::filesystem::path file_of(const Hash128& key) const;
  void evict();

  std::filesystem::path folder_;
  std::size_t max_bytes_;
  std::mutex mutex_;
  std::size_t known_bytes_ = 0;  // at the last look, plus what was put since
};

// Writes a whole file under a temporary name beside it, then renames. False when the disk refuses;
// nothing is left behind then.
[[nodiscard]] bool write_atomically(const std::filesystem::path& file, std::string_view content);

// A name that no other thread or process uses: "<prefix><pid>-<counter>-<random>".
[[nodiscard]] std::string unique_name(std::string_view prefix);

}  // namespace kernatlas
