// The text of prelude.h, embedded when the library is built: the compiler writes it into its cache
// directory, and a test or an exported program can do the same. Never read from an installed file.
#pragma once

#include <string_view>

namespace kernatlas {

[[nodiscard]] std::string_view prelude_text();

}  // namespace kernatlas
