// RunInfo as the rows of table `info`. Private to engine/store.
//
// Every field is a row of its own under a stable key, so a field can be added without a new schema
// version: a reader ignores keys it does not know and takes the default for those that are missing.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "engine/store/run_database.h"

namespace kernatlas::store {

[[nodiscard]] std::map<std::string, std::string> to_rows(const RunInfo& info);
// The name of a key whose value is malformed or, for those that a run cannot do without (task,
// backend), missing; nothing when all is well.
[[nodiscard]] std::optional<std::string> from_rows(const std::map<std::string, std::string>& rows,
                                                   RunInfo& info);

}  // namespace kernatlas::store
