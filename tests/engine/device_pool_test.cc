#include "engine/search/device_pool.h"

#include <doctest/doctest.h>

#include <array>
#include <thread>

#include "tests/support/fake_bench.h"

using namespace kernatlas;

TEST_CASE("a device is with one thread at a time, and nobody is forgotten") {
  testing::FakeBench bench(3);
  DevicePool pool(bench.evaluators());
  std::array<std::atomic<int>, 3> users{};
  std::atomic<bool> shared{false};
  std::atomic<int> total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        const DevicePool::Lease device(pool);
        const auto index = static_cast<std::size_t>(device->info().index);
        if (++users[index] != 1) shared = true;
        ++total;
        std::this_thread::yield();
        --users[index];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(shared);
  CHECK(total == 1600);
}

TEST_CASE("devices go round") {
  testing::FakeBench bench(2);
  DevicePool pool(bench.evaluators());
  std::vector<int> seen;
  for (int i = 0; i < 4; ++i) seen.push_back(DevicePool::Lease(pool)->info().index);
  CHECK(seen == std::vector<int>{0, 1, 0, 1});
}
