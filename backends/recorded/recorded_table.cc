#include "backends/recorded/recorded_table.h"

#include <algorithm>
#include <bit>

#include "backends/recorded/gzip.h"
#include "backends/recorded/table_reader.h"
#include "kernel/rng.h"
#include "kernel/text_file.h"

namespace kernatlas {

Result<RecordedTable> RecordedTable::load(const std::filesystem::path& file) {
  auto bytes = read_bytes(file, kFileLimit);
  if (!bytes) return fail(bytes.error());
  if (is_gzip(*bytes)) {
    auto text = gunzip(*bytes, kFileLimit, file.string());
    if (!text) return fail(text.error());
    return parse(*text, file.string());
  }
  return parse(*bytes, file.string());
}

Result<RecordedTable> RecordedTable::parse(std::string_view text, const std::string& file) {
  return TableReader(text, file).read();
}

std::size_t RecordedTable::slot_of(const std::int64_t* values) const {
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < tunables_.size(); ++i) {
    hash = mix64(hash ^ static_cast<std::uint64_t>(values[i]));
  }
  return hash & (slots_.size() - 1);
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> RecordedTable::index_rows() {
  const std::size_t width = tunables_.size();
  slots_.assign(std::bit_ceil(rows_.size() * 2 + 1), 0);
  for (std::uint32_t row = 0; row < rows_.size(); ++row) {
    const std::int64_t* values = values_.data() + row * width;
    std::size_t slot = slot_of(values);
    for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t other = slots_[slot] - 1;
      if (std::equal(values, values + width, values_.data() + other * width)) {
        return std::pair{other, row};
      }
    }
    slots_[slot] = row + 1;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> RecordedTable::find(const Assignment& assignment) const {
  const std::size_t width = tunables_.size();
  if (assignment.size() != width) return std::nullopt;
  std::size_t slot = slot_of(assignment.data());
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    const std::uint32_t row = slots_[slot] - 1;
    if (std::equal(assignment.begin(), assignment.end(), values_.data() + row * width)) return row;
  }
  return std::nullopt;
}

Assignment RecordedTable::assignment(std::size_t row) const {
  const std::int64_t* values = values_.data() + row * tunables_.size();
  return {values, values + tunables_.size()};
}

void RecordedTable::summarise() {
  std::vector<double> medians;
  for (const RecordedRow& row : rows_) {
    if (row.kind == OutcomeKind::measured) medians.push_back(row.median_ms);
  }
  if (medians.empty()) return;
  std::sort(medians.begin(), medians.end());
  const std::size_t half = medians.size() / 2;
  baseline_ms_ = medians.size() % 2 == 1 ? medians[half] : (medians[half - 1] + medians[half]) / 2;
  best_ms_ = medians.front();
}

}  // namespace kernatlas
