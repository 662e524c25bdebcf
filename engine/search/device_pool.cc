#include "engine/search/device_pool.h"

#include "kernel/result.h"

namespace kernatlas {

DevicePool::DevicePool(std::vector<Evaluator*> devices) : free_(devices.begin(), devices.end()) {
  KERNATLAS_CHECK(!free_.empty());
}

Evaluator* DevicePool::take() {
  std::unique_lock lock(mutex_);
  free_again_.wait(lock, [this] { return !free_.empty(); });
  Evaluator* device = free_.front();
  free_.pop_front();
  return device;
}

void DevicePool::give_back(Evaluator* device) {
  const std::lock_guard lock(mutex_);
  free_.push_back(device);
  free_again_.notify_one();
}

}  // namespace kernatlas
