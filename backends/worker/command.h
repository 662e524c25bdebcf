// run_command: a tool (compiler, assembler, linker) in a sandboxed, bounded process. Compilers are
// hostile ground: a candidate can make one hang, eat memory or read files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

struct CommandRequest {
  std::vector<std::string> argv;   // argv[0] is looked up in PATH
  std::filesystem::path work_dir;  // current directory; the only writable place
  std::vector<std::filesystem::path> readable =
      {};                                 // beyond /usr, /lib*, /etc/alternatives, ld.so.cache
  double timeout_s = 20;                  // wall clock; then the whole process group is killed
  std::size_t memory_bytes = 2ull << 30;  // address space of each process
  std::size_t output_bytes = 1 << 20;     // of stdout + stderr; the rest is cut with a mark
  std::size_t file_bytes = 64ull << 20;   // largest file it may write
  std::vector<int> cpus = {};             // may run on these; empty: all
  bool trusted = false;                   // baselines: may read everything
};

struct CommandResult {
  int exit_code = -1;  // -1 when ended by a signal
  int signal = 0;
  bool timed_out = false;
  std::string output;  // stdout and stderr interleaved, bounded
  double wall_s = 0;
  [[nodiscard]] bool ok() const { return exit_code == 0 && !timed_out; }
};

// Error only when the machine is at fault (cannot spawn); a failing tool is a result. Thread-safe.
[[nodiscard]] Result<CommandResult> run_command(const CommandRequest& request);

}  // namespace kernatlas
