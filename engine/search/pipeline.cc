#include "engine/search/pipeline.h"

#include <tbb/global_control.h>
#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

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

Job* next_job(SearchLoop& loop, tbb::flow_control& control) {
  Job* job = nullptr;
  guarded(loop, [&] { job = loop.next(); });
  if (job == nullptr) control.stop();
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
      guarded(loop, [&] { (loop.*method)(*job); });
      return job;
    };
  };
  arena.execute([&] {
    tbb::parallel_pipeline(
        loop.window(),
        tbb::make_filter<void, Job*>(
            Mode::serial_in_order,
            [&loop](tbb::flow_control& control) { return next_job(loop, control); }) &
            tbb::make_filter<Job*, Job*>(Mode::parallel, step(&SearchLoop::compile)) &
            tbb::make_filter<Job*, Job*>(Mode::parallel, step(&SearchLoop::evaluate)) &
            tbb::make_filter<Job*, void>(
                settle_mode, [&loop](Job* job) { guarded(loop, [&] { loop.settle(*job); }); }));
  });
}

}  // namespace kernatlas
