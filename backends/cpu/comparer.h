// compare_programs: challenger against incumbent in interleaved pairs, each in a worker of its own.
#pragma once

#include <span>

#include "backends/cpu/cpu_lab.h"

namespace kernatlas {

// Over the search workloads, `lab.parameters().pairs` pairs in ABBA order; a pair is one pass of
// each. Secret launches of both are verified. Finding::failed with a message when either does
// something wrong, or the machine fails.
[[nodiscard]] Comparison compare_programs(CpuLab& lab, const CpuProgram& challenger,
                                          const CpuProgram& incumbent,
                                          std::span<const double> baseline_ns,
                                          const ClockAllowance& allowance);

}  // namespace kernatlas
