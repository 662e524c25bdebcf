// Starting and ending processes of the program kernatlas-worker. The supervisor may hold gigabytes,
// so it never forks: posix_spawn costs it 0.6 ms whatever its size.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

// Where kernatlas-worker is: beside the running executable, in ../bin or ../libexec/kernatlas from
// there, or in $KERNATLAS_BIN_DIR. Error code unavailable when it is in none of them.
[[nodiscard]] Result<std::string> find_worker_program();

struct SpawnRequest {
  std::string program;
  std::vector<std::string> arguments;    // without argv[0]
  std::vector<std::string> environment;  // all of it: nothing is inherited
  // Becomes descriptor i of the process; -1: /dev/null. Everything else is closed.
  std::vector<int> descriptors;
};

// Starts it as the leader of a session and process group of its own, with default signals. The
// process asks for death when the spawning thread ends, so that thread must outlive it.
[[nodiscard]] Result<pid_t> spawn(const SpawnRequest& request);

// What the kernel said when a child ended.
struct Ending {
  int status = 0;  // as of waitpid
  rusage usage{};
};

// Waits for the end of a child at most so long; false when it still runs.
[[nodiscard]] bool wait_for_end(pid_t pid, std::chrono::milliseconds patience, Ending& ending);

// Kills the process group and reaps its leader; returns at once if it has ended already.
Ending kill_group(pid_t pid);

// CPU time of a process so far, from the kernel; -1 when it is gone.
[[nodiscard]] std::int64_t cpu_time_ns(pid_t pid);
[[nodiscard]] std::int64_t monotonic_ns();

}  // namespace kernatlas
