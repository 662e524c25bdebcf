// Backend `recorded`: replays a table of measured configurations (docs/formats/recorded-csv.md).
//
// Everything but real sleeping is a function of (BenchOptions::seed, ticket): the same on any
// number of simulated devices. Fitness is log2(baseline / time) with the table's median of measured
// medians as the baseline. Costs are the recorded ones (compile, overhead, benchmark), not the
// replay's own. A configuration that the table lacks is a compile_error, "not in the table".
#pragma once

#include <memory>

#include "backends/backend.h"

namespace kernatlas {

[[nodiscard]] std::unique_ptr<Backend> make_recorded_backend();

}  // namespace kernatlas
