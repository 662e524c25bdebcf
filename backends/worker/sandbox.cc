#include "backends/worker/sandbox.h"

#include "backends/worker/worker_process.h"

namespace kernatlas {

namespace {

Check::State state_of(Layer::State state) {
  switch (state) {
    case Layer::State::on:
      return Check::State::on;
    case Layer::State::unsupported:
      return Check::State::unsupported;
    case Layer::State::off:
      break;
  }
  return Check::State::off;
}

}  // namespace

std::vector<Check> probe_sandbox() {
  auto program = find_worker_program();
  if (!program) return {{Check::State::missing, "sandbox", program.error().message}};
  auto process = WorkerProcess::start(*program, "probe", {});
  if (!process) return {{Check::State::missing, "sandbox", process.error().message}};
  std::vector<Check> checks;
  for (const Layer& layer : (*process)->layers()) {
    checks.push_back({state_of(layer.state), layer.name, layer.detail});
  }
  return checks;
}

}  // namespace kernatlas
