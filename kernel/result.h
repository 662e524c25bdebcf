// Result<T>: a value or an Error that a person (or a model) can act on.
//
// Expected failures — a malformed file, a missing tool, a full disk — are values of this type and
// never exceptions. An Error says where (file, line), what was found, what was expected, and a
// hint.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace kernatlas {

// What kind of failure an Error is; the program's exit code follows from it (tools/exit_code.h).
enum class ErrorCode {
  bad_input,    // a file, flag or expression the user can correct
  unavailable,  // a backend, tool, driver or permission that is missing on this machine
  io,           // the disk is full, read-only or broken
  locked,       // another process owns the resource
  internal,     // a promise of ours is broken; please report it
};

struct Error {
  ErrorCode code = ErrorCode::bad_input;
  std::string message{};   // what is wrong, one sentence
  std::string file{};      // empty when no file is involved
  int line = 0;            // 1-based; 0 when unknown
  std::string expected{};  // what would have been right; may be empty
  std::string hint{};      // what to try next; may be empty

  // "file:line: message; expected …\n  hint: …", leaving out what is empty.
  [[nodiscard]] std::string text() const;
};

template <typename T>
using Result = tl::expected<T, Error>;

// Shorthand: `return fail({.message = "…", .hint = "…"});`
[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

// For programmer errors: always on, also in release builds. Prints and aborts.
[[noreturn]] void panic(const char* file, int line, const char* condition);

}  // namespace kernatlas

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): the condition's text belongs in the message.
#define KERNATLAS_CHECK(condition) \
  ((condition) ? void(0) : ::kernatlas::panic(__FILE__, __LINE__, #condition))
