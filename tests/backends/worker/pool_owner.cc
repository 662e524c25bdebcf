// pool_owner WORK_DIR: owns workers and a running command, prints the workers' process ids, and
// waits to be killed. For the test that nothing of it stays behind.
#include <unistd.h>

#include <cstdio>
#include <thread>

#include "backends/worker/command.h"
#include "backends/worker/worker.h"
#include "tests/support/temp_dir.h"

int main(int argc, char** argv) {
  using namespace kernatlas;
  if (argc != 2) return 2;
  auto pool = WorkerPool::create({}, 1);
  auto arena = Arena::create(4096);
  if (!pool || !arena) return 1;
  auto busy = (*pool)->take();
  auto idle = (*pool)->take();
  if (!busy || !idle) return 1;
  const std::vector<std::shared_ptr<const std::string>> images = {
      std::make_shared<const std::string>(
          testing::read_file(std::string(WORKER_OBJECTS) + "/worker_kernels.so"))};
  Binding hang;
  hang.launches = {{"hang_deaf", 1}};
  hang.slots = {{0}};
  constexpr std::chrono::milliseconds kAmple{60'000};
  if (!(*busy)->load(**arena, images, kAmple) || !(*busy)->bind(hang, kAmple)) return 1;
  const int pids[] = {(*busy)->pid(), (*idle)->pid()};
  std::thread command([folder = std::string(argv[1])] {
    (void)run_command({.argv = {"sh", "-c", "while :; do echo alive >> heart; sleep 0.02; done"},
                       .work_dir = folder,
                       .timeout_s = 600});
  });
  std::printf("%d %d\n", pids[0], pids[1]);
  std::fflush(stdout);
  const std::vector<std::vector<std::uint32_t>> once = {{0}};
  (void)(*busy)->run(once, kAmple * 10);
  command.join();
}
