#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <thread>

#include "backends/worker/sandbox.h"
#include "backends/worker/spawn.h"
#include "backends/worker/unique_fd.h"
#include "tests/backends/worker/worker_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// Waits until the pool has started so many workers; false after a while.
bool reaches(const WorkerPool& pool, std::uint64_t started) {
  for (int i = 0; i < 3000 && pool.started() < started; ++i) std::this_thread::sleep_for(10ms);
  return pool.started() == started;
}

bool gone(int pid) {
  for (int i = 0; i < 500 && kill(pid, 0) == 0; ++i) std::this_thread::sleep_for(10ms);
  return kill(pid, 0) != 0;
}

}  // namespace

TEST_CASE("a standby is started ahead of need, and one for each that is taken") {
  const auto pool = make_pool({}, 2);
  REQUIRE(reaches(*pool, 2));
  auto first = pool->take();
  REQUIRE(first);
  CHECK(reaches(*pool, 3));
  auto second = pool->take();
  REQUIRE(second);
  CHECK(reaches(*pool, 4));
  CHECK((*first)->pid() != (*second)->pid());
}

TEST_CASE("without standbys a worker is started when it is taken") {
  const auto pool = make_pool({}, 0);
  CHECK(pool->started() == 1);  // the one that create() tried
  REQUIRE(pool->take());
  CHECK(pool->started() == 1);
  REQUIRE(pool->take());
  CHECK(pool->started() == 2);
}

TEST_CASE("nothing is left behind by many workers") {
  const int before = open_descriptors();
  {
    const auto pool = make_pool({}, 1);
    const auto arena = make_arena();
    for (int i = 0; i < 50; ++i) {
      const auto worker = loaded_worker(*pool, *arena);
      REQUIRE(worker->bind(one_launch(i % 5 == 0 ? "fault_null" : "fill_index"), kAmple));
      CHECK(static_cast<bool>(worker->run(kOnce, kAmple)) == (i % 5 != 0));
    }
    CHECK(pool->started() >= 50);
    CHECK(pool->started() <= 52);
  }
  CHECK(open_descriptors() == before);
  CHECK(childless());
}

TEST_CASE("a worker outlives its pool, and dies with its owner") {
  const auto arena = make_arena();
  std::unique_ptr<Worker> worker;
  {
    const auto pool = make_pool({}, 1);
    worker = loaded_worker(*pool, *arena);
  }
  REQUIRE(worker->bind(one_launch("fill_index"), kAmple));
  REQUIRE(worker->run(kOnce, kAmple));
  const int pid = worker->pid();
  REQUIRE(kill(pid, 0) == 0);
  worker.reset();
  CHECK(gone(pid));
  CHECK(childless());
}

TEST_CASE("a worker taken by a thread that ends goes on") {
  const auto arena = make_arena();
  const auto pool = make_pool({}, 0);
  std::unique_ptr<Worker> worker;
  std::thread([&] { worker = loaded_worker(*pool, *arena); }).join();
  REQUIRE(worker->bind(one_launch("fill_index"), kAmple));
  CHECK(worker->run(kOnce, kAmple));
}

TEST_CASE("many threads may take from one pool") {
  const auto pool = make_pool({}, 2);
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      auto arena = Arena::create(4096);
      for (int round = 0; round < 5; ++round) {
        auto worker = pool->take();
        const std::vector<Image> images = {kernels()};
        if (!worker || !(*worker)->load(**arena, images, kAmple)) continue;
        if (!(*worker)->bind(one_launch("fill_index"), kAmple)) continue;
        if ((*worker)->run(kOnce, kAmple)) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 20);
}

TEST_CASE("a standby that was killed is noticed as the machine's fault") {
  const auto pool = make_pool({}, 1);
  auto worker = pool->take();
  REQUIRE(worker);
  REQUIRE(kill((*worker)->pid(), SIGKILL) == 0);
  const auto arena = make_arena();
  const std::vector<Image> images = {kernels()};
  const auto loaded = (*worker)->load(*arena, images, kAmple);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().kind == OutcomeKind::device_lost);
}

TEST_CASE("required layers are checked when the pool is made") {
  const auto unknown = WorkerPool::create({.require = {"moat"}}, 0);
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == ErrorCode::bad_input);
  CHECK(unknown.error().expected.find("landlock") != std::string::npos);
  CHECK(WorkerPool::create({.require = {"rlimits", "watchdog"}}, 0));
  const auto off = WorkerPool::create({.trusted = true, .require = {"seccomp"}}, 0);
  REQUIRE_FALSE(off);
  CHECK(off.error().code == ErrorCode::unavailable);
  CHECK(off.error().message.find("seccomp") != std::string::npos);
}

TEST_CASE("a missing or foreign program is an error, not a hang") {
  const auto missing = WorkerPool::create({}, 1, "/nonexistent/kernatlas-worker");
  REQUIRE_FALSE(missing);
  CHECK(missing.error().code == ErrorCode::unavailable);
  const auto foreign = WorkerPool::create({}, 1, "/bin/true");
  REQUIRE_FALSE(foreign);
  CHECK(foreign.error().message.find("/bin/true") != std::string::npos);
  CHECK(childless());
}

TEST_CASE("nothing outlives an owner that is killed") {
  TempDir dir;
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const auto owner = spawn({.program = POOL_OWNER,
                            .arguments = {dir.path().string()},
                            .environment = {"KERNATLAS_BIN_DIR=" + bin_dir().string()},
                            .descriptors = {-1, writing.get(), 2}});
  REQUIRE(owner);
  writing.reset();
  char text[64] = {};
  REQUIRE(read(reading.get(), text, sizeof text - 1) > 0);
  int busy = 0;
  int idle = 0;
  REQUIRE(std::sscanf(text, "%d %d", &busy, &idle) == 2);
  const auto heart = dir.path() / "heart";
  for (int i = 0; i < 3000 && !std::filesystem::exists(heart); ++i) {
    std::this_thread::sleep_for(10ms);
  }
  REQUIRE(std::filesystem::exists(heart));
  REQUIRE(kill(busy, 0) == 0);
  kill(*owner, SIGKILL);
  Ending ending;
  REQUIRE(wait_for_end(*owner, kAmple, ending));
  CHECK(gone(busy));
  CHECK(gone(idle));
  bool still = false;  // the command's process wrote its last line
  for (int i = 0; i < 100 && !still; ++i) {
    const auto size = std::filesystem::file_size(heart);
    std::this_thread::sleep_for(150ms);
    still = std::filesystem::file_size(heart) == size;
  }
  CHECK(still);
}

TEST_CASE("the probe reports every layer in order") {
  const auto checks = probe_sandbox();
  const std::vector<std::string> names = {"namespaces",        "rlimits",      "nobody",
                                          "no_new_privileges", "parent_death", "landlock",
                                          "seccomp",           "watchdog"};
  REQUIRE(checks.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(checks[i].name == names[i]);
    CHECK(checks[i].state != Check::State::missing);
    if (checks[i].state != Check::State::on) CHECK_FALSE(checks[i].detail.empty());
  }
  CHECK(childless());
}
