#include "engine/search/pipeline.h"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>

namespace kernatlas {

namespace {

// Steps report failures as values; what throws all the same (no memory, a library's surprise) ends
// the run as an error instead of tearing the pipeline down around the others.
template <typename Step>
void guarded(SearchLoop& loop, Step&& step) noexcept {
  try {
    step();
  } catch (const std::exception& problem) {
    loop.fail_with({.code = ErrorCode::internal,
                    .message = std::string("the search threw: ") + problem.what()});
  }
}

// oneTBB orders what one step writes before what the next one reads. ThreadSanitizer cannot see
// that inside an uninstrumented library; a flag that each step sets and the next one looks at shows
// it, and one for the loop itself.
std::atomic<std::uint64_t> launches{0};

void take_over(Job& job) {
  (void)std::atomic_ref(job.handover).load(std::memory_order_acquire);
}
void hand_over(Job& job) {
  std::atomic_ref(job.handover).store(1, std::memory_order_release);
}

Job* next_job(SearchLoop& loop, tbb::flow_control& control) {
  (void)launches.load(std::memory_order_acquire);
  Job* job = nullptr;
  guarded(loop, [&] { job = loop.next(); });
  if (job == nullptr) {
    control.stop();
  } else {
    hand_over(*job);
  }
  return job;
}

}  // namespace

void run_pipeline(SearchLoop& loop) {
  const int threads = static_cast<int>(loop.window()) + 2;
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  using Mode = tbb::filter_mode;
  const auto settle_mode = loop.ordered() ? Mode::serial_in_order : Mode::parallel;
  const auto step = [&loop](auto method) {
    return [&loop, method](Job* job) {
      take_over(*job);
      guarded(loop, [&] { (loop.*method)(*job); });
      hand_over(*job);
      return job;
    };
  };
  launches.fetch_add(1, std::memory_order_release);
  arena.execute([&] {
    tbb::parallel_pipeline(
        loop.window(),
        tbb::make_filter<void, Job*>(
            Mode::serial_in_order,
            [&loop](tbb::flow_control& control) { return next_job(loop, control); }) &
            tbb::make_filter<Job*, Job*>(Mode::parallel, step(&SearchLoop::compile)) &
            tbb::make_filter<Job*, Job*>(Mode::parallel, step(&SearchLoop::evaluate)) &
            tbb::make_filter<Job*, void>(settle_mode, [&loop](Job* job) {
              take_over(*job);
              guarded(loop, [&] { loop.settle(*job); });
            }));
  });
}

}  // namespace kernatlas
