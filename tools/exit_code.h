// The program's exit codes (docs/command-line.md).
#pragma once

#include "kernel/result.h"

namespace kernatlas {

enum ExitCode : int {
  kExitDone = 0,
  kExitNothingCorrect = 1,  // the search or the check found no correct kernel
  kExitBadInput = 2,        // usage, files, run directories
  kExitUnavailable = 3,     // a needed backend, tool or permission is missing
  kExitInternal = 4,        // our fault, or the disk's
  kExitInterrupted = 130,   // stopped by a signal; state is saved
};

[[nodiscard]] constexpr ExitCode exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::bad_input:
    case ErrorCode::locked:
      return kExitBadInput;
    case ErrorCode::unavailable:
      return kExitUnavailable;
    case ErrorCode::io:
    case ErrorCode::internal:
      return kExitInternal;
  }
  return kExitInternal;
}

// Prints the error to stderr and returns its exit code.
int report(const Error& error);

}  // namespace kernatlas
