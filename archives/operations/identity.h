// What makes two records of different archives the same thing.
#pragma once

#include <string>

#include "archives/atlas.h"

namespace kernatlas::archives {

// The record's key. Without one, a hash over everything, so that only equals are equal; it begins
// with a zero byte and thus never equals a key that people write.
[[nodiscard]] std::string identity_of(const Entry& entry, const AtlasRecord& record,
                                      const BlobTable& blobs);
[[nodiscard]] std::string identity_of(const PayloadMap& payload);

// XXH3, 128 bits, as 32 hexadecimal digits: a key for content that has none.
[[nodiscard]] std::string content_key(std::string_view content);

}  // namespace kernatlas::archives
