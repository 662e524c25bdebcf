// Any bytes as the text of an assignment: what is accepted must be values of the tunables, and must
// survive being written and read again.
#include <algorithm>
#include <cstdlib>

#include "kernel/candidate.h"

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Tunable> tunables = {
      {.name = "B", .values = {64, 128, -1}, .labels = {}},
      {.name = "ORDER", .values = {0, 1}, .labels = {"rows", "cols"}}};
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto values = from_text(tunables, text);
  if (!values) return 0;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    const auto& allowed = tunables[i].values;
    if (std::find(allowed.begin(), allowed.end(), (*values)[i]) == allowed.end()) std::abort();
  }
  const auto again = from_text(tunables, to_text(tunables, *values));
  if (!again || *again != *values) std::abort();
  return 0;
}
