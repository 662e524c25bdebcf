// parse_task with any bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernel/task_toml.h"

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto draft = parse_task(text, "fuzz");
  if (!draft) {
    KERNATLAS_CHECK(!draft.error().message.empty());
    KERNATLAS_CHECK(draft.error().file == "fuzz");
    return 0;
  }
  const Task& task = draft->task;
  KERNATLAS_CHECK(draft->recorded || !task.workloads_with(WorkloadRole::search).empty());
  for (const Workload& workload : task.workloads) {
    for (const Tensor& tensor : task.inputs) KERNATLAS_CHECK(tensor.elements(workload.dims));
    for (const Tensor& tensor : task.outputs) KERNATLAS_CHECK(tensor.elements(workload.dims));
  }
  return 0;
}
