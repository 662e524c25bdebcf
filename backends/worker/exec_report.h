// What `kernatlas-worker exec` says about the tool it ran: one fixed record on a pipe that the tool
// itself never holds, so it cannot be forged by it.
#pragma once

#include <cstdint>

namespace kernatlas {

struct ExecReport {
  static constexpr std::uint32_t kMagic = 0x4b414558;  // "KAEX"
  enum class Kind : std::uint32_t { ended = 1, failed = 2 };
  std::uint32_t magic = kMagic;
  Kind kind = Kind::failed;
  std::int32_t wait_status = 0;   // ended: as of waitpid
  std::int32_t error_number = 0;  // failed: errno of the step below
  char step[64] = {};             // failed: what could not be done
};

// Descriptors that the program finds open, beyond 0 to 2.
inline constexpr int kReportDescriptor = 3;    // exec: the pipe for the record above
inline constexpr int kSocketDescriptor = 3;    // serve, probe: the protocol's socket
inline constexpr int kBlackBoxDescriptor = 4;  // serve: the page for last words (black_box.h)

}  // namespace kernatlas
