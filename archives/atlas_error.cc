#include "archives/atlas_error.h"

#include <fmt/format.h>

namespace kernatlas::archives {

std::string AtlasError::text() const {
  std::string text = file;
  if (offset) text += fmt::format("{}byte {}", text.empty() ? "" : ", ", *offset);
  if (!text.empty()) text += ": ";
  text += message;
  if (!expected.empty()) text += "; expected " + expected;
  if (!hint.empty()) text += "\n  hint: " + hint;
  return text;
}

}  // namespace kernatlas::archives
