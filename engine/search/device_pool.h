// DevicePool: hands each device to one thread at a time.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "backends/backend.h"

namespace kernatlas {

// Thread-safe. Devices go out in the order in which they came back: a retry after a lost device
// meets another one where there is one.
class DevicePool {
 public:
  explicit DevicePool(std::vector<Evaluator*> devices);

  // Exclusive use of one device until destroyed; blocks until one is free.
  class Lease {
   public:
    explicit Lease(DevicePool& pool) : pool_(pool), device_(pool.take()) {}
    ~Lease() { pool_.give_back(device_); }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Evaluator* operator->() const { return device_; }

   private:
    DevicePool& pool_;
    Evaluator* device_;
  };

 private:
  Evaluator* take();
  void give_back(Evaluator* device);

  std::mutex mutex_;
  std::condition_variable free_again_;
  std::deque<Evaluator*> free_;
};

}  // namespace kernatlas
