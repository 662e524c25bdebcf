// AtlasError: what went wrong with an atlas file, said so that a person can act on it.
//
// A file that somebody else wrote, cut off or damaged is expected input: reading it gives a value
// of Expected<T>, never an exception and never a crash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tl/expected.hpp>

namespace kernatlas::archives {

struct AtlasError {
  enum class Kind {
    bad_input,  // the content; the user can choose or repair the file
    io,         // the disk, a permission, a full device
    busy,       // another process is writing this file
  };
  Kind kind = Kind::bad_input;
  std::string message{};                  // what is wrong, one sentence
  std::string file{};                     // empty when no file is involved
  std::optional<std::uint64_t> offset{};  // byte where the offending block or value begins
  std::string expected{};                 // what would have been right; may be empty
  std::string hint{};                     // what to try next; may be empty

  // "file, byte 1234: message; expected …\n  hint: …", leaving out what is empty.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const AtlasError&, const AtlasError&) = default;
};

template <typename T>
using Expected = tl::expected<T, AtlasError>;

[[nodiscard]] inline tl::unexpected<AtlasError> fail(AtlasError error) {
  return tl::unexpected<AtlasError>(std::move(error));
}

}  // namespace kernatlas::archives
