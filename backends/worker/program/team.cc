#include "backends/worker/program/team.h"

#include <pthread.h>
#include <sched.h>

#include <new>
#include <utility>

#include "backends/worker/program/arguments.h"
#include "backends/worker/program/fault_handler.h"

namespace kernatlas {

namespace {

constexpr int kSpins = 4000;  // some tens of microseconds

inline void pause_cpu() {
  __builtin_ia32_pause();
}

int available_cpus(const std::vector<int>& pinned) {
  if (!pinned.empty()) return static_cast<int>(pinned.size());
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

// Waits until `value` is no longer (or, with `until`, finally is) what was given.
template <typename Done>
int wait_for(const std::atomic<int>& value, int spins, Done done) {
  for (int i = 0; i < spins; ++i) {
    const int now = value.load(std::memory_order_acquire);
    if (done(now)) return now;
    pause_cpu();
  }
  while (true) {
    const int now = value.load(std::memory_order_acquire);
    if (done(now)) return now;
    value.wait(now, std::memory_order_acquire);
  }
}

}  // namespace

bool start_thread(void* (*body)(void*), void* argument, unsigned long* id) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes + kStackGuardBytes);
  pthread_attr_setguardsize(&attributes, kStackGuardBytes);
  const bool made = pthread_create(id, &attributes, body, argument) == 0;
  pthread_attr_destroy(&attributes);
  return made;
}

Team::Team(int threads, std::vector<int> cpus)
    : threads_(threads),
      cpus_(std::move(cpus)),
      spins_(threads <= available_cpus(cpus_) ? kSpins : 0) {}

bool Team::start() {
  for (int i = 1; i < threads_; ++i) {
    pthread_t id{};
    if (!start_thread(&Team::helper, this, &id)) return false;
  }
  // A thread that is still starting makes calls which the filter about to come forbids.
  wait_for(prepared_, 0, [this](int now) { return now == threads_ - 1; });
  return true;
}

void* Team::helper(void* self) {
  auto* team = static_cast<Team*>(self);
  team->help(team->next_index_.fetch_add(1));
  return nullptr;
}

void Team::help(int index) {
  if (!cpus_.empty()) pin_to({cpus_[static_cast<std::size_t>(index) % cpus_.size()]});
  prepare_thread_for_faults();
  prepared_.fetch_add(1, std::memory_order_acq_rel);
  prepared_.notify_one();
  int seen = 0;
  while (true) {
    seen = wait_for(generation_, spins_, [seen](int now) { return now != seen; });
    reset_floating_point();
    run_part(index);
    if (pending_.fetch_sub(1, std::memory_order_acq_rel) == 1) pending_.notify_one();
  }
}

void Team::run_part(int index) {
  const std::int64_t begin =
      job_.points / threads_ * index + job_.points % threads_ * index / threads_;
  const int after = index + 1;
  const std::int64_t end =
      job_.points / threads_ * after + job_.points % threads_ * after / threads_;
  if (begin == end) return;
  try {
    job_.function(job_.buffers, begin, end);
  } catch (const std::bad_alloc&) {
    die_out_of_memory();
  }
}

void Team::run(const LaunchJob& job) {
  job_ = job;
  if (threads_ == 1) return run_part(0);
  pending_.store(threads_ - 1, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  run_part(0);
  wait_for(pending_, spins_, [](int now) { return now == 0; });
}

void Team::reset_floating_point() {
  constexpr unsigned kDefaultMxcsr = 0x1f80;  // all exceptions masked, to nearest, no flushing
  __builtin_ia32_ldmxcsr(kDefaultMxcsr);
  asm volatile("fninit; cld" ::: "memory");
}

}  // namespace kernatlas
