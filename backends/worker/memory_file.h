// Memory files (memfd): how code, buffers and the last words of a worker travel between processes
// without touching a disk. Shared by the supervisor and the program kernatlas-worker.
#pragma once

#include <cstddef>
#include <string_view>

#include "backends/worker/unique_fd.h"

namespace kernatlas {

// A memory file of `bytes` zero bytes whose size can never change again (so that nobody who holds
// it can make the other side fault). Invalid, with errno set, on failure.
[[nodiscard]] UniqueFd make_memory_file(const char* name, std::size_t bytes);

// A memory file with this content, sealed against every change.
[[nodiscard]] UniqueFd make_sealed_file(const char* name, std::string_view content);

// Owns a mapping; unmaps it.
class Mapping {
 public:
  Mapping() = default;
  Mapping(void* data, std::size_t size) : data_(static_cast<std::byte*>(data)), size_(size) {}
  Mapping(Mapping&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool valid() const { return data_ != nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// Shared, readable and writable. Invalid, with errno set, on failure.
[[nodiscard]] Mapping map_shared(int descriptor, std::size_t bytes);

}  // namespace kernatlas
