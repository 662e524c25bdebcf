// Every way in which a candidate ends badly, and what is said of it.
#include <csignal>

#include "backends/worker/fault_explanation.h"
#include "tests/backends/worker/worker_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

// The fault of one launch by a fresh worker.
Fault fault_of(WorkerPool& pool, const std::string& symbol, std::int64_t points = 1,
               std::chrono::milliseconds deadline = kAmple) {
  const auto arena = make_arena();
  const auto worker = loaded_worker(pool, *arena);
  REQUIRE(worker->bind(one_launch(symbol, points), kAmple));
  const auto times = worker->run(kOnce, deadline);
  REQUIRE_FALSE_MESSAGE(times, symbol);
  const auto again = worker->run(kOnce, kAmple);
  REQUIRE_FALSE(again);
  CHECK(again.error().kind == OutcomeKind::device_lost);
  return times.error();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a crash is named by its signal, and by where it happened") {
  const auto pool = make_pool();
  const std::pair<std::string, std::string> cases[] = {
      {"fault_null", "SIGSEGV, near address zero"},
      {"fault_wild", "SIGSEGV"},
      {"fault_not_canonical", "SIGSEGV"},
      {"fault_illegal", "SIGILL"},
      {"fault_divide", "SIGFPE"},
      {"fault_stack", "SIGSEGV, stack overflow (8 MiB)"},
      {"fault_abort", "SIGABRT"},
      {"fault_far_after", "SIGSEGV, 66060288 bytes past the last buffer"},
      {"fault_far_before", "SIGSEGV, 67108864 bytes before the first buffer"}};
  for (const auto& one : cases) {
    CAPTURE(one.first);
    const Fault fault = fault_of(*pool, one.first);
    CHECK(fault.kind == OutcomeKind::crashed);
    CHECK(fault.message == one.second);
  }
}

TEST_CASE("a crash on any thread is the worker's end") {
  const auto pool = make_pool({.threads = 4});
  for (const std::string symbol : {"fault_null", "fault_stack"}) {
    const Fault fault = fault_of(*pool, symbol, 4);
    CHECK(fault.kind == OutcomeKind::crashed);
    CHECK(contains(fault.message, "SIGSEGV"));
  }
  CHECK(fault_of(*pool, "call_openat", 4).kind == OutcomeKind::rejected);
}

TEST_CASE("a hang is killed at its deadline, whatever it ignores") {
  const auto pool = make_pool({.threads = 2});
  for (const std::string symbol : {"hang", "hang_deaf", "hang_one_thread"}) {
    CAPTURE(symbol);
    const std::int64_t start = std::chrono::steady_clock::now().time_since_epoch().count();
    const Fault fault = fault_of(*pool, symbol, 2, 150ms);
    const std::int64_t end = std::chrono::steady_clock::now().time_since_epoch().count();
    CHECK(end - start >= 150'000'000);
    CHECK(fault.kind == OutcomeKind::timed_out);
    CHECK(fault.message == "no answer within 150 ms");
  }
}

TEST_CASE("CPU time has its own limit") {
  const auto pool = make_pool({.cpu_s = 1});
  const Fault fault = fault_of(*pool, "hang");
  CHECK(fault.kind == OutcomeKind::timed_out);
  CHECK(fault.message == "used up its 1 s of CPU time");
}

TEST_CASE("forbidden system calls are rejected by name") {
  const auto pool = make_pool();
  const std::pair<std::string, std::string> cases[] = {{"call_open", "2 (open)"},
                                                       {"call_openat", "257 (openat)"},
                                                       {"call_socket", "41 (socket)"},
                                                       {"call_fork", "57 (fork)"},
                                                       {"call_clone", "56 (clone)"},
                                                       {"call_clone3", "435 (clone3)"},
                                                       {"call_ptrace", "101 (ptrace)"},
                                                       {"call_kill_parent", "110 (getppid)"},
                                                       {"call_kill_all", "62 (kill)"},
                                                       {"call_make_executable", "10 (mprotect)"},
                                                       {"call_map_executable", "9 (mmap)"},
                                                       {"call_write_stdout", "1 (write)"},
                                                       {"call_execve", "59 (execve)"},
                                                       {"call_execveat", "322 (execveat)"},
                                                       {"call_io_uring", "425 (io_uring_setup)"},
                                                       {"call_sigaction", "13 (rt_sigaction)"}};
  for (const auto& one : cases) {
    CAPTURE(one.first);
    const Fault fault = fault_of(*pool, one.first);
    CHECK(fault.kind == OutcomeKind::rejected);
    CHECK(fault.message == "forbidden system call " + one.second);
  }
}

TEST_CASE("the 32-bit system calls are no way round the filter") {
  const auto pool = make_pool();
  const Fault fault = fault_of(*pool, "call_compat");
  // A kernel without them answers with a fault instead.
  CHECK((fault.kind == OutcomeKind::rejected || fault.kind == OutcomeKind::crashed));
}

TEST_CASE("ending without an answer is a crash, not a success") {
  const auto pool = make_pool();
  for (const std::string symbol : {"leave_quietly", "leave_thread"}) {
    const Fault fault = fault_of(*pool, symbol);
    CHECK(fault.kind == OutcomeKind::crashed);
    CHECK(fault.message == "ended without answering (exit status 0)");
  }
}

TEST_CASE("forged replies are rejected") {
  const auto pool = make_pool();
  for (const std::string symbol : {"forge_garbage", "forge_length", "forge_reply", "forge_early"}) {
    CAPTURE(symbol);
    const Fault fault = fault_of(*pool, symbol);
    CHECK(fault.kind == OutcomeKind::rejected);
    CHECK(contains(fault.message, "forged reply"));
  }
}

TEST_CASE("memory hogs are told from crashes") {
  const auto pool = make_pool({.memory_bytes = 96u << 20});
  for (const std::string symbol : {"hog_in_one", "hog_in_steps", "hog_with_new"}) {
    CAPTURE(symbol);
    const Fault fault = fault_of(*pool, symbol);
    CHECK(fault.kind == OutcomeKind::out_of_memory);
    CHECK(fault.message == "asked for more than the 96 MiB of memory it may have");
  }
}

TEST_CASE("an object that does not load is a launch error") {
  const auto pool = make_pool();
  const auto arena = make_arena();
  const auto garbage = std::make_shared<const std::string>("this is not an object");
  const auto empty = std::make_shared<const std::string>();
  for (const Image& one : {image("worker_missing"), Image(garbage), Image(empty)}) {
    auto worker = pool->take();
    REQUIRE(worker);
    const std::vector<Image> images = {one};
    const auto loaded = (*worker)->load(*arena, images, kAmple);
    REQUIRE_FALSE(loaded);
    CHECK(loaded.error().kind == OutcomeKind::launch_error);
    CHECK(loaded.error().message.size() > 10);
  }
}

TEST_CASE("code that runs while loading is confined, too") {
  const auto pool = make_pool();
  const auto arena = make_arena();
  auto worker = pool->take();
  REQUIRE(worker);
  std::vector<Image> images = {image("worker_forking")};
  const auto forked = (*worker)->load(*arena, images, kAmple);
  REQUIRE_FALSE(forked);
  CHECK(forked.error().kind == OutcomeKind::rejected);

  worker = pool->take();
  REQUIRE(worker);
  images = {image("worker_crashing")};
  const auto crashed = (*worker)->load(*arena, images, kAmple);
  REQUIRE_FALSE(crashed);
  CHECK(crashed.error().kind == OutcomeKind::crashed);
  CHECK(crashed.error().message == "SIGILL");
}

TEST_CASE("no file can be opened while loading") {
  if (WorkerPool::create({.require = {"landlock"}}, 0)) {
    const auto pool = make_pool();
    const auto arena = make_arena();
    const auto worker = loaded_worker(*pool, *arena, {image("worker_reading")});
    REQUIRE(worker->bind(one_launch("launch"), kAmple));
    REQUIRE(worker->run(kOnce, kAmple));
    CHECK(*reinterpret_cast<const int*>(arena->data()) == -1);
  }
}

TEST_CASE("a worker killed from outside is nobody's fault") {
  const auto pool = make_pool();
  const auto arena = make_arena();
  for (const int signal : {SIGKILL, SIGTERM}) {
    const auto worker = loaded_worker(*pool, *arena);
    REQUIRE(kill(worker->pid(), signal) == 0);
    const auto bound = worker->bind(one_launch("twice"), kAmple);
    REQUIRE_FALSE(bound);
    CHECK(bound.error().kind == OutcomeKind::device_lost);
  }
}

TEST_CASE("a fault in one worker leaves the others alone") {
  const auto pool = make_pool({}, 1);
  const auto arena = make_arena();
  const auto good = loaded_worker(*pool, *arena);
  REQUIRE(good->bind(one_launch("fill_index", 4), kAmple));
  CHECK(fault_of(*pool, "call_kill_all").kind == OutcomeKind::rejected);
  CHECK(fault_of(*pool, "fault_null").kind == OutcomeKind::crashed);
  REQUIRE(good->run(kOnce, kAmple));
  CHECK(reinterpret_cast<const float*>(arena->data())[3] == 1);
}

TEST_CASE("what a signal means, without the black box") {
  CHECK(signal_name(SIGSEGV) == "SIGSEGV");
  CHECK(signal_name(120) == "signal 120");
  Death death;
  death.memory_bytes = 100u << 20;
  death.cpu_s = 10;
  const auto kind = [&death](int status) {
    death.ending.status = status;
    return explain_death(death).kind;
  };
  CHECK(kind(SIGSYS) == OutcomeKind::rejected);
  CHECK(kind(SIGXCPU) == OutcomeKind::timed_out);
  CHECK(kind(SIGSEGV) == OutcomeKind::crashed);
  CHECK(kind(SIGKILL) == OutcomeKind::device_lost);
  CHECK(kind(kForbiddenCallExit << 8) == OutcomeKind::crashed);  // the box is silent: not believed
  death.ending.usage.ru_maxrss = 90 << 10;
  CHECK(kind(SIGKILL) == OutcomeKind::out_of_memory);
  death.ending.usage.ru_utime.tv_sec = 11;
  CHECK(kind(SIGKILL) == OutcomeKind::timed_out);
}
