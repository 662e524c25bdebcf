// Starting a search from archives: their elites are proposed again, verified and timed here, before
// the search goes on by itself. Nothing that was measured elsewhere is believed.
//
// The candidates are stored in the run database when the run is made, so a resumed run neither
// loses nor repeats one. The operator "import" proposes them: the i-th with ticket seeds + i, in
// the order in which they were stored. One that has been proposed already gives its ticket to
// another operator.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "archives/atlas.h"
#include "engine/store/run_database.h"
#include "kernel/candidate.h"
#include "kernel/result.h"
#include "kernel/task.h"
#include "operators/operator.h"

namespace kernatlas {

inline constexpr const char* kImportOperator = "import";

// A candidate as an atlas payload: "source", "language", "file", "assignment", "options".
// docs/formats/atlas.md lists what kernatlas writes beside these.
[[nodiscard]] archives::PayloadMap candidate_payload(const Candidate& candidate,
                                                     const std::vector<Tunable>& options);
// The inverse. Compile options that this backend does not have, or has no such value of, take their
// first value: an archive of another backend is no error.
[[nodiscard]] Result<Candidate> candidate_from(const archives::PayloadMap& payload,
                                               const std::vector<Tunable>& options);

struct Imports {
  std::vector<Candidate> candidates;  // all different and valid for the task
  std::size_t skipped = 0;            // elites and proposals that are not
  std::string reason;                 // why, of the first one
};

// The elites, best first, then the proposals.
[[nodiscard]] Imports imports_of(const archives::Atlas& atlas, const Task& task,
                                 const std::vector<Tunable>& options);

// Durable when it returns. Once per run, before its first search.
[[nodiscard]] Result<void> store_imports(RunDatabase& database,
                                         const std::vector<Candidate>& candidates,
                                         const std::vector<Tunable>& options);
// What was stored; none for a run that began from nothing.
[[nodiscard]] Result<std::vector<Candidate>> load_imports(const RunDatabase& database,
                                                          const std::vector<Tunable>& options);

[[nodiscard]] std::unique_ptr<Operator> make_import(std::vector<Candidate> candidates);

// How many of them are candidates of sources that are no seeds of the task.
[[nodiscard]] std::uint64_t foreign_candidates(const std::vector<Candidate>& candidates,
                                               const Task& task);

}  // namespace kernatlas
