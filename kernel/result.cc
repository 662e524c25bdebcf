#include "kernel/result.h"

#include <cstdio>
#include <cstdlib>

namespace kernatlas {

std::string Error::text() const {
  std::string out;
  if (!file.empty()) {
    out += file;
    out += ':';
    if (line > 0) out += std::to_string(line) + ":";
    out += ' ';
  }
  out += message;
  if (!expected.empty()) out += "; expected " + expected;
  if (!hint.empty()) out += "\n  hint: " + hint;
  return out;
}

void panic(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: internal error: the condition \"%s\" does not hold\n", file, line,
               condition);
  std::abort();
}

}  // namespace kernatlas
