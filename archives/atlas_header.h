// The block HEAD as msgpack. Private to archives/*.cc.
#pragma once

#include <string>
#include <string_view>

#include "archives/atlas_stream.h"
#include "archives/atlas_values.h"

namespace kernatlas::archives {

[[nodiscard]] std::string encode_header(const AtlasHeader& header);

// How records are laid out in this file: names of their members, in order.
struct RecordFields {
  std::vector<std::string> elite;
  std::vector<std::string> proposal;
};
[[nodiscard]] const RecordFields& our_fields();

// False when something is missing or of the wrong kind: values.problem() says what.
[[nodiscard]] bool decode_header(Values& values, AtlasHeader& header, RecordFields& fields);

}  // namespace kernatlas::archives
