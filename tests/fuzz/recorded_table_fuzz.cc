// Any bytes as a recorded table, compressed or not: what is accepted must be found again, row by
// row, and must make a kernel source that parses.
#include <cstdlib>

#include "backends/recorded/gzip.h"
#include "backends/recorded/recorded_table.h"
#include "backends/recorded/recorded_task.h"

using namespace kernatlas;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  if (is_gzip(text)) {
    auto unpacked = gunzip(text, 1 << 20, "fuzz");
    if (!unpacked) return 0;
    text = std::move(*unpacked);
  }
  const auto table = RecordedTable::parse(text, "fuzz");
  if (!table) return 0;
  for (std::size_t row = 0; row < table->rows().size(); ++row) {
    if (table->find(table->assignment(row)) != row) std::abort();
  }
  const auto axes = recorded_axes(*table);
  if (axes.empty() || axes.size() > 2) std::abort();
  const auto source = KernelSource::parse(recorded_source_text(*table), Language::recorded, "fuzz");
  if (source && (*source)->tunables().size() != table->tunables().size()) std::abort();
  return 0;
}
