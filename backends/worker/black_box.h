// BlackBox: one page of shared memory in which a dying worker leaves what a signal number alone
// does not tell. The candidate can write to it too, so it only ever words a message and never
// turns a failure into anything better.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kernatlas {

enum class AddressClass : std::uint32_t {
  unknown,
  null_pointer,  // within 64 KiB of zero
  stack,         // just beyond the running thread's stack
  before_arena,  // in the guard zone below the buffers
  after_arena,   // in the guard zone above them
};

struct BlackBox {
  std::atomic<std::uint32_t> claimed;  // the first thread to fault writes the rest
  std::int32_t signal;
  std::int32_t system_call;  // of SIGSYS
  AddressClass address_class;
  std::uint64_t distance_bytes;   // from the arena, for the two classes above
  std::uint64_t asked_bytes;      // SIGSYS by a mapping that was too large
  std::uint32_t at_memory_limit;  // a small request for memory failed at the time of the fault
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

inline constexpr std::size_t kBlackBoxBytes = 4096;
inline constexpr int kForbiddenCallExit = 159;  // exit code after a forbidden system call
inline constexpr int kOutOfMemoryExit = 160;    // exit code after std::bad_alloc

}  // namespace kernatlas
