// verify_workload: a loaded program on several input sets of one workload, every output compared.
#pragma once

#include <cstddef>

#include "backends/cpu/cpu_lab.h"

namespace kernatlas {

// Runs `cases` secret picks, in random order over alternating poison, and one of them a second time
// in another slot over other poison; checks zones, inputs, and every output.
[[nodiscard]] Checked<void> verify_workload(CpuLab& lab, const CpuProgram& program, Worker& worker,
                                            std::size_t workload, std::size_t cases,
                                            double expected_ns, Accuracy& accuracy);

}  // namespace kernatlas
