// What the worker's tests share: built objects, a pool, a worker that has loaded one, and counts of
// what must not leak.
#pragma once

#include <doctest/doctest.h>

#include <dirent.h>
#include <sys/wait.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "backends/worker/worker.h"
#include "tests/support/temp_dir.h"

namespace kernatlas::testing {

using namespace std::chrono_literals;

// On a loaded machine a start may take long; deadlines that are not under test are generous.
inline constexpr std::chrono::milliseconds kAmple{60'000};

using Image = std::shared_ptr<const std::string>;

inline Image image(const std::string& name) {
  return std::make_shared<const std::string>(
      read_file(std::string(WORKER_OBJECTS) + "/" + name + ".so"));
}
inline Image kernels() {
  static const Image loaded = image("worker_kernels");
  return loaded;
}

inline std::unique_ptr<Arena> make_arena(std::size_t bytes = 1u << 20) {
  auto arena = Arena::create(bytes);
  REQUIRE(arena);
  return std::move(*arena);
}

inline std::unique_ptr<WorkerPool> make_pool(WorkerOptions options = {}, int standby = 0) {
  auto pool = WorkerPool::create(std::move(options), standby);
  REQUIRE_MESSAGE(pool, (pool ? "" : pool.error().text()));
  return std::move(*pool);
}

inline std::unique_ptr<Worker> loaded_worker(WorkerPool& pool, const Arena& arena,
                                             std::vector<Image> images = {kernels()}) {
  auto worker = pool.take();
  REQUIRE_MESSAGE(worker, (worker ? "" : worker.error().message));
  const auto loaded = (*worker)->load(arena, images, kAmple);
  REQUIRE_MESSAGE(loaded, (loaded ? "" : loaded.error().message));
  return std::move(*worker);
}

// One launch over `points`, buffers at the given offsets.
inline Binding one_launch(const std::string& symbol, std::int64_t points = 1,
                          std::vector<std::uint64_t> buffers = {0}) {
  Binding binding;
  binding.launches = {{symbol, points}};
  binding.slots = {std::move(buffers)};
  return binding;
}

inline const std::vector<std::vector<std::uint32_t>> kOnce = {{0}};

inline int open_descriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

// True when this process has neither a running nor an unreaped child.
inline bool childless() {
  return waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

}  // namespace kernatlas::testing
