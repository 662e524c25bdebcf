// What `show RUN ID` says about one candidate: time, features, lineage, difference, its cell.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "engine/store/run_database.h"
#include "kernel/result.h"
#include "tools/report.h"

namespace kernatlas {

// "best", "#17" (a ticket), or hexadecimal digits that name one candidate.
[[nodiscard]] Result<std::uint64_t> resolve_candidate(const RunReader& reader, const Report& run,
                                                      const std::string& id);

// From the candidate back to its seed along first parents; the candidate first.
[[nodiscard]] std::vector<SettledRow> lineage(const RunReader& reader, const SettledRow& row);

// The source as this candidate means it: assignment and options as leading comment lines. Two of
// these differ in what distinguishes the candidates, even when their source text is the same.
[[nodiscard]] std::string described_source(const SettledRow& row);

// Kind, message and detail; or speed-up, times, accuracy and provenance.
[[nodiscard]] std::string outcome_text(const Outcome& outcome);

[[nodiscard]] std::string candidate_text(const RunReader& reader, const Report& run,
                                         const SettledRow& row);
[[nodiscard]] nlohmann::ordered_json candidate_json(const RunReader& reader, const Report& run,
                                                    const SettledRow& row);

}  // namespace kernatlas
