// Export: an atlas for programs that do not read atlases.
#pragma once

#include <filesystem>
#include <string>

#include "archives/atlas.h"

namespace kernatlas::archives {

// docs/operations.md names every field. Numbers that JSON lacks (NaN, infinity) are null; bytes
// that are no UTF-8 are replaced.
[[nodiscard]] std::string to_json(const Atlas& atlas);

// RFC 4180: a header, then one line an elite: its numbers, one column per axis (a label's text on a
// categorical one), and the payload's values, except long ones (blobs), which would drown the rest.
[[nodiscard]] std::string to_csv(const Atlas& atlas);

// NumPy arrays, one row an elite, replacing FILE whole or not at all.
[[nodiscard]] Expected<void> save_npz(const std::filesystem::path& file, const Atlas& atlas);

}  // namespace kernatlas::archives
