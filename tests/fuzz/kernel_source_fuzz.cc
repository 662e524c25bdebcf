// KernelSource::parse with any bytes in any language, and check_against a small task.
#include <cstddef>
#include <cstdint>
#include <string>

#include "kernel/kernel_source.h"
#include "kernel/launch_plan.h"
#include "kernel/task_toml.h"

using namespace kernatlas;

namespace {
const Task& task() {
  static const Task kTask = [] {
    return parse_task(
               "summary = 's'\ndims = ['N']\n[[workload]]\nname = 'w'\ndims = {N = 8}\n"
               "[[input]]\nname = 'x'\ntype = 'f32'\nshape = ['N']\n"
               "[[output]]\nname = 'y'\ntype = 'f32'\nshape = ['N']\n[reference]\nsource = 'r.cpp'",
               "task.toml")
        .value()
        .task;
  }();
  return kTask;
}
}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto language = static_cast<Language>(data[0] % 8);
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto source = KernelSource::parse(text, language, "fuzz");
  if (!source) {
    KERNATLAS_CHECK(!source.error().message.empty());
    KERNATLAS_CHECK(source.error().file == "fuzz");
    return 0;
  }
  if (!(*source)->check_against(task())) return 0;
  Assignment first;
  for (const Tunable& tunable : (*source)->tunables()) first.push_back(tunable.values.front());
  const bool valid = is_valid(task(), **source, first);
  const auto plan = plan_launches(task(), task().workloads.front(), **source, first);
  KERNATLAS_CHECK(valid || !plan);
  return 0;
}
