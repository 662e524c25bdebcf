// System call filters (seccomp, by libseccomp). docs/sandbox.md lists what each allows.
#pragma once

#include <cstdint>
#include <memory>

#include "backends/worker/layer.h"

namespace kernatlas {

// For tools: everything but what reaches beyond the process tree and its files (sockets, tracing,
// mounts, namespaces, kernel interfaces with a history). Forbidden calls fail with EPERM.
[[nodiscard]] Layer filter_tool();

// The two filters of a worker. A forbidden call raises SIGSYS, which names it in the black box.
// Both cover every thread; the second is built in advance, because building it needs memory and
// time that belong before the candidate's code.
class WorkerFilters {
 public:
  // `socket`: the one descriptor that may be read and written. `largest_mapping`: what a single
  // mapping may ask for.
  WorkerFilters(int socket, std::uint64_t largest_mapping);
  ~WorkerFilters();
  WorkerFilters(const WorkerFilters&) = delete;
  WorkerFilters& operator=(const WorkerFilters&) = delete;

  // While the candidate's objects are loaded: the dynamic loader may open and map files.
  [[nodiscard]] Layer enter_loading();
  // While the candidate runs. Returns false when the kernel refuses.
  [[nodiscard]] bool enter_running();

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

}  // namespace kernatlas
