#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backends/worker/memory_file.h"
#include "backends/worker/worker.h"

namespace kernatlas {

Result<std::unique_ptr<Arena>> Arena::create(std::size_t bytes) {
  const auto no_memory = [bytes](int error_number) {
    return fail({.code = ErrorCode::unavailable,
                 .message = "cannot make " + std::to_string(bytes >> 20) +
                            " MiB of shared memory: " + std::strerror(error_number)});
  };
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  bytes = (std::max<std::size_t>(bytes, 1) + page - 1) / page * page;
  UniqueFd file = make_memory_file("kernatlas-arena", bytes);
  if (!file.valid()) return no_memory(errno);
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) return no_memory(errno);
  std::unique_ptr<Arena> arena(new Arena);
  arena->data_ = static_cast<std::byte*>(data);
  arena->size_ = bytes;
  arena->descriptor_ = file.release();
  return arena;
}

Arena::~Arena() {
  if (data_ != nullptr) munmap(data_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace kernatlas
