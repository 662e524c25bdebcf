#include "kernel/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <ios>

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;  // a continuation, or an overlong form
  if (first < 0xe0) return continues(1) ? 2 : 0;
  if (first < 0xf0) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  const bool outside = first > 0xf4 || (first == 0xf4 && byte(1) >= 0x90);
  const bool overlong = first == 0xf0 && byte(1) < 0x90;
  return continues(1) && continues(2) && continues(3) && !outside && !overlong ? 4 : 0;
}

}  // namespace

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::count(
                 text.begin(),
                 text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

std::optional<int> first_bad_line(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0) return line_at(text, i);
    i += length;
  }
  return std::nullopt;
}

Result<std::string> read_bytes(const fs::path& file, std::size_t limit) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (!fs::exists(status)) {
    return fail({.message = "there is no such file", .file = file.string()});
  }
  if (!fs::is_regular_file(status)) {
    return fail({.message = "this is not a file", .file = file.string()});
  }
  std::ifstream in(file, std::ios::binary);
  const std::uintmax_t size = fs::file_size(file, error);
  if (in && !error && size > limit) {
    return fail({.message = fmt::format("the file has {} bytes", size),
                 .file = file.string(),
                 .expected = fmt::format("at most {}", limit)});
  }
  std::string bytes(error ? 0 : static_cast<std::size_t>(size), '\0');
  if (!in || error || !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return fail({.code = ErrorCode::io,
                 .message = "the file cannot be read",
                 .file = file.string(),
                 .hint = "check its permissions"});
  }
  return bytes;
}

}  // namespace kernatlas
