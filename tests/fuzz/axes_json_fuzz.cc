// Any bytes as a run's stored axes: what is accepted must survive being written and read again.
#include <cstdlib>

#include "engine/search/axes.h"
#include "engine/search/budget.h"

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto axes = axes_from_json(text)) {
    const auto again = axes_from_json(axes_to_json(*axes));
    if (!again || *again != *axes) std::abort();
  }
  if (const auto budget = Budget::parse(text)) {
    const auto again = Budget::parse(budget->text());
    if (!again || again->evaluations != budget->evaluations || again->seconds != budget->seconds ||
        again->usd != budget->usd) {
      std::abort();
    }
  }
  return 0;
}
