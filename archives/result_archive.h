// ResultArchive: a passive second archive that sees every entry another one is given.
//
// It separates what a search works with (a soft archive, novelty, a coarse grid) from what is
// reported: the result archive is elitist whatever the search archive is, and compares runs that
// search differently in the same cells.
#pragma once

#include <memory>

#include "archives/archive.h"

namespace kernatlas::archives {

class ResultArchive final : public Watcher {
 public:
  // Watches `search` from now on, which must outlive this object. `result` is usually an empty
  // grid; it has as many axes as `search`, else std::invalid_argument, but may cut them otherwise.
  // Its rule should not ask for evidence: nobody measures for it. What the search archive is given
  // as evidence is passed on, and heeded when it happens to be about the same incumbent.
  ResultArchive(Archive& search, std::unique_ptr<Archive> result);
  ~ResultArchive() override;
  ResultArchive(const ResultArchive&) = delete;
  ResultArchive& operator=(const ResultArchive&) = delete;

  [[nodiscard]] const Archive& archive() const { return *result_; }

 private:
  void seen(const Entry& entry, const std::optional<Evidence>& evidence,
            const AddOutcome& outcome) override;

  Archive& search_;
  std::unique_ptr<Archive> result_;
};

}  // namespace kernatlas::archives
