#include "archives/result_archive.h"

#include <stdexcept>
#include <utility>

namespace kernatlas::archives {

ResultArchive::ResultArchive(Archive& search, std::unique_ptr<Archive> result)
    : search_(search), result_(std::move(result)) {
  if (!result_ || result_->axes().size() != search.axes().size()) {
    throw std::invalid_argument("result archive: needs an archive with as many axes");
  }
  search_.watch(this);
}

ResultArchive::~ResultArchive() {
  search_.watch(nullptr);
}

void ResultArchive::seen(const Entry& entry, const std::optional<Evidence>& evidence,
                         const AddOutcome&) {
  result_->add(entry, evidence);
}

}  // namespace kernatlas::archives
