#include "backends/worker/worker.h"

#include <sched.h>

#include <cstring>

#include "tests/backends/worker/worker_fixture.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

constexpr std::int64_t kPoints = 10'007;  // no multiple of any thread count

float* floats(const Arena& arena, std::uint64_t offset) {
  return reinterpret_cast<float*>(arena.data() + offset);
}

}  // namespace

TEST_CASE("a launch computes on the shared buffers, for any number of threads") {
  for (const int threads : {1, 2, 4}) {
    CAPTURE(threads);
    const auto arena = make_arena();
    const auto pool = make_pool({.threads = threads});
    const auto worker = loaded_worker(*pool, *arena);
    for (std::int64_t i = 0; i < kPoints; ++i) floats(*arena, 0)[i] = static_cast<float>(i);
    REQUIRE(worker->bind(one_launch("twice", kPoints, {0, 65536}), kAmple));
    const auto times = worker->run(kOnce, kAmple);
    REQUIRE_MESSAGE(times, (times ? "" : times.error().message));
    REQUIRE(times->sample_ns.size() == 1);
    CHECK(times->sample_ns[0] > 0);
    CHECK(times->sample_ns[0] <= times->wall_ns);
    for (std::int64_t i = 0; i < kPoints; ++i) {
      REQUIRE(floats(*arena, 65536)[i] == 2 * static_cast<float>(i));
    }
    CHECK(floats(*arena, 65536)[kPoints] == 0);
  }
}

TEST_CASE("a launch finishes on every thread before the next one starts") {
  for (const int threads : {2, 4}) {
    CAPTURE(threads);
    const auto arena = make_arena();
    const auto pool = make_pool({.threads = threads});
    const auto worker = loaded_worker(*pool, *arena);
    Binding binding = one_launch("fill_index", kPoints, {0, 65536, 262144});
    binding.launches.push_back({"mirror", kPoints});
    REQUIRE(worker->bind(binding, kAmple));
    floats(*arena, 262144)[0] = static_cast<float>(kPoints);
    const int rounds = 50;
    for (int round = 1; round <= rounds; ++round) {
      REQUIRE(worker->run(kOnce, kAmple));
      for (std::int64_t i = 0; i < kPoints; ++i) {
        if (floats(*arena, 65536)[i] != static_cast<float>(round)) {
          FAIL("round " << round << ": point " << i << " is " << floats(*arena, 65536)[i]);
        }
      }
    }
  }
}

TEST_CASE("the grid is split into contiguous parts, one a thread") {
  const auto arena = make_arena();
  const auto pool = make_pool({.threads = 4});
  const auto worker = loaded_worker(*pool, *arena);
  REQUIRE(worker->bind(one_launch("note_thread", 4001), kAmple));
  REQUIRE(worker->run(kOnce, kAmple));
  const auto* threads = reinterpret_cast<const std::int64_t*>(arena->data());
  int changes = 0;
  for (int i = 1; i < 4001; ++i) changes += threads[i] != threads[i - 1] ? 1 : 0;
  CHECK(changes == 3);
  // Fewer points than threads: nobody gets a point twice.
  REQUIRE(worker->bind(one_launch("fill_index", 3, {524288}), kAmple));
  REQUIRE(worker->run(kOnce, kAmple));
  CHECK(floats(*arena, 524288)[0] == 1);
  CHECK(floats(*arena, 524288)[2] == 1);
  CHECK(floats(*arena, 524288)[3] == 0);
}

TEST_CASE("groups run their slots in order, one time a group") {
  const auto arena = make_arena();
  const auto pool = make_pool();
  const auto worker = loaded_worker(*pool, *arena);
  Binding binding = one_launch("fill_index", 8, {0});
  binding.slots.push_back({4096});
  REQUIRE(worker->bind(binding, kAmple));
  const std::vector<std::vector<std::uint32_t>> groups = {{0, 1}, {1}, {}, {0, 0, 0}};
  const auto times = worker->run(groups, kAmple);
  REQUIRE(times);
  CHECK(times->sample_ns.size() == 4);
  CHECK(floats(*arena, 0)[7] == 4);
  CHECK(floats(*arena, 4096)[7] == 2);
}

TEST_CASE("modules are kept apart, though their symbols have the same names") {
  const auto arena = make_arena();
  const auto pool = make_pool();
  const auto worker = loaded_worker(*pool, *arena, {kernels(), image("worker_second")});
  floats(*arena, 0)[0] = 3;
  Binding binding = one_launch("twice", 1, {0, 4096});
  for (const auto& [module, expected] : {std::pair{0u, 6.0f}, {1u, 60.0f}, {0u, 6.0f}}) {
    binding.module = module;
    REQUIRE(worker->bind(binding, kAmple));
    REQUIRE(worker->run(kOnce, kAmple));
    CHECK(floats(*arena, 4096)[0] == expected);
  }
}

TEST_CASE("mathematics from the libraries is there") {
  const auto arena = make_arena();
  const auto pool = make_pool();
  const auto worker = loaded_worker(*pool, *arena);
  floats(*arena, 0)[0] = 0.5f;
  REQUIRE(worker->bind(one_launch("sine", 1, {0, 4096}), kAmple));
  REQUIRE(worker->run(kOnce, kAmple));
  CHECK(floats(*arena, 4096)[0] == doctest::Approx(0.4794255));
}

TEST_CASE("threads stay on the CPUs they are given") {
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  const auto arena = make_arena();
  int tried = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE && tried < 2; ++cpu) {
    if (!CPU_ISSET(static_cast<unsigned>(cpu), &set)) continue;
    ++tried;
    const auto pool = make_pool({.threads = 2, .cpus = {cpu}});
    const auto worker = loaded_worker(*pool, *arena);
    REQUIRE(worker->bind(one_launch("note_cpu", 100), kAmple));
    REQUIRE(worker->run(kOnce, kAmple));
    for (int i = 0; i < 100; ++i) {
      REQUIRE(reinterpret_cast<const std::int32_t*>(arena->data())[i] == cpu);
    }
  }
  CHECK(tried > 0);
}

TEST_CASE("every group starts with the default rounding, on every thread") {
  const auto arena = make_arena();
  for (const int threads : {1, 2}) {
    const auto pool = make_pool({.threads = threads});
    const auto worker = loaded_worker(*pool, *arena);
    REQUIRE(worker->bind(one_launch("upset_rounding", threads), kAmple));
    REQUIRE(worker->run(kOnce, kAmple));
    REQUIRE(worker->bind(one_launch("report_rounding"), kAmple));
    REQUIRE(worker->run(kOnce, kAmple));
    CHECK(*reinterpret_cast<const std::uint32_t*>(arena->data()) == 0x1f80);
  }
}

TEST_CASE("CPU time comes from the kernel and is what was spent") {
  const auto arena = make_arena();
  const auto pool = make_pool();
  const auto worker = loaded_worker(*pool, *arena);
  REQUIRE(worker->bind(one_launch("spin_a_while"), kAmple));
  const auto times = worker->run(kOnce, kAmple);
  REQUIRE(times);
  CHECK(times->cpu_ns > 0);
  CHECK(times->cpu_ns <= times->wall_ns + 20'000'000);
  CHECK(times->sample_ns[0] <= times->wall_ns);
}

TEST_CASE("memory within the limit may be used") {
  const auto arena = make_arena();
  const auto pool = make_pool({.memory_bytes = 64u << 20});
  const auto worker = loaded_worker(*pool, *arena);
  REQUIRE(worker->bind(one_launch("allocate_modestly"), kAmple));
  const auto times = worker->run(kOnce, kAmple);
  REQUIRE_MESSAGE(times, (times ? "" : times.error().message));
  CHECK(*reinterpret_cast<const std::int32_t*>(arena->data()) == 1);
}

TEST_CASE("a missing function and a bad binding are told apart") {
  const auto arena = make_arena();
  const auto pool = make_pool();
  auto worker = loaded_worker(*pool, *arena);
  const auto missing = worker->bind(one_launch("no_such_function"), kAmple);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().kind == OutcomeKind::launch_error);
  CHECK(missing.error().message.find("no_such_function") != std::string::npos);
  worker = loaded_worker(*pool, *arena);
  const auto outside = worker->bind(one_launch("twice", 1, {0, arena->size()}), kAmple);
  REQUIRE_FALSE(outside);
  CHECK(outside.error().kind == OutcomeKind::device_lost);
}

TEST_CASE("a trusted worker runs without the candidate's limits") {
  const auto arena = make_arena();
  const auto pool = make_pool({.threads = 2, .trusted = true});
  const auto worker = loaded_worker(*pool, *arena, {kernels(), image("worker_reading")});
  Binding binding = one_launch("launch");
  binding.module = 1;
  REQUIRE(worker->bind(binding, kAmple));
  REQUIRE(worker->run(kOnce, kAmple));
  CHECK(*reinterpret_cast<const int*>(arena->data()) >= 0);  // it could open a file
}

TEST_CASE("an arena is zero, page-aligned and cannot be resized") {
  const auto arena = make_arena(5000);
  CHECK(arena->size() == 8192);
  CHECK(reinterpret_cast<std::uintptr_t>(arena->data()) % 4096 == 0);
  CHECK(arena->data()[8191] == std::byte{0});
  CHECK(ftruncate(arena->descriptor(), 0) != 0);
}
