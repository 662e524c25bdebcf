// WorkerProcess: one running kernatlas-worker with its socket and black box. Kills its group and
// reaps it when destroyed.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/worker/black_box.h"
#include "backends/worker/channel.h"
#include "backends/worker/layer.h"
#include "backends/worker/memory_file.h"
#include "backends/worker/spawn.h"
#include "backends/worker/worker.h"

namespace kernatlas {

class WorkerProcess {
 public:
  // Spawns it and waits until its sandbox stands. `mode`: serve or probe. The calling thread must
  // outlive the process (spawn.h).
  [[nodiscard]] static Result<std::unique_ptr<WorkerProcess>> start(const std::string& program,
                                                                    const std::string& mode,
                                                                    const WorkerOptions& options);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] Channel& channel() { return channel_; }
  [[nodiscard]] const std::vector<Layer>& layers() const { return layers_; }
  [[nodiscard]] const BlackBox& black_box() const {
    return *reinterpret_cast<const BlackBox*>(box_.data());
  }
  // Waits briefly for an end that is under way, then kills. Once.
  Ending finish(std::chrono::milliseconds patience);
  [[nodiscard]] bool alive() const { return pid_ > 0; }

 private:
  WorkerProcess() = default;
  pid_t pid_ = -1;
  Channel channel_;
  Mapping box_;
  std::vector<Layer> layers_;
};

}  // namespace kernatlas
