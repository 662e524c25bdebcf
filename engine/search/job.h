// Job: one proposal on its way through the pipeline, from its ticket to its settlement.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/backend.h"
#include "engine/store/run_database.h"
#include "kernel/candidate.h"
#include "kernel/outcome.h"

namespace kernatlas {

struct Job {
  std::uint64_t ticket = 0;
  Candidate candidate;
  Hash128 id;           // of the candidate
  std::size_t arm = 0;  // index of its operator in the policy
  std::vector<std::uint64_t> parents;
  std::uint32_t duplicates = 0;  // drawn and skipped before it
  CompiledPtr compiled;          // null when it did not compile
  Outcome outcome;
  Verdict verdict;
  bool done = false;           // the outcome is there
  std::uint32_t handover = 0;  // see pipeline.cc
};

}  // namespace kernatlas
