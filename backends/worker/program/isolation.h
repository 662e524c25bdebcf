// The layers that change who and where the process is: namespaces, nobody, resource limits,
// no-new-privileges, parent-death signal. docs/sandbox.md says what each of them stops.
//
// All of them act on the calling process and cannot be taken off again; call them from its only
// thread. Each works without privileges where the kernel allows it, and says why where it does not.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "backends/worker/layer.h"

namespace kernatlas {

inline constexpr unsigned kNobody = 65534;

struct IsolationWish {
  bool own_processes = false;   // a process namespace: its first child becomes pid 1 there
  bool keep_identity = false;   // trusted: stay who we are
  bool nobody_can_work = true;  // root only: false: files needed are out of nobody's reach
};

struct Isolation {
  Layer namespaces;
  Layer nobody;
  bool own_processes = false;  // granted
  bool own_user = false;       // in a user namespace: processes are counted apart from the host's
};

// New network, IPC and (on wish) process namespaces. Root makes them by its own right and then
// becomes nobody; where nobody cannot reach the files, it stays root in name, but without any
// capability and in a user namespace of its own. Others get them through a user namespace.
[[nodiscard]] Isolation isolate(const IsolationWish& wish);

struct ResourceLimits {
  std::uint64_t cpu_s = 0;       // soft; the hard limit is 5 s above, so that SIGXCPU can be told
  std::uint64_t file_bytes = 0;  // largest file
  std::uint64_t open_files = 64;
  std::uint64_t address_bytes = 0;  // 0: not limited
  std::uint64_t data_bytes = 0;     // private writable memory; 0: not limited
  std::uint64_t processes = 0;      // 0: not limited
};

[[nodiscard]] Layer limit_resources(const ResourceLimits& limits);
[[nodiscard]] Layer forbid_new_privileges();
// Dies with the thread that spawned it; ends the process at once when that is gone already.
[[nodiscard]] Layer die_with_parent(pid_t parent);

}  // namespace kernatlas
