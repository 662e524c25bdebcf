#include "archives/operations/importing.h"

#include <cmath>

#include "archives/atlas_file.h"

namespace kernatlas::archives {

Expected<std::string> Importing::read_file(const std::filesystem::path& file) {
  constexpr std::size_t kStep = std::size_t{1} << 20;
  constexpr std::size_t kLimit = std::size_t{4} << 30;
  const auto source = FileSource::open(file);
  if (!source) return fail(source.error());
  std::string text;
  while (text.size() <= kLimit) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    const auto count = (*source)->read(text.data() + before, kStep);
    if (!count) return fail(count.error());
    text.resize(before + *count);
    if (*count < kStep) return text;
  }
  return fail(
      {.message = "is too large", .file = file.string(), .expected = "at most 4 GiB of text"});
}

void Importing::add(double objective, std::vector<double> measures, double size, std::string key,
                    PayloadMap payload) {
  if (!std::isfinite(objective)) return skip();
  ++imported_.read;
  Entry entry;
  entry.id = items_.size();
  entry.objective = entry.low = entry.high = objective;
  entry.measures = std::move(measures);
  entry.size = size;
  fillings_.push_back({.entry = std::move(entry)});
  items_.push_back({std::move(key), std::move(payload)});
}

Expected<Imported> Importing::finish(Facts provenance, const ArchiveKinds& kinds) {
  auto filled = fill(options_.spec, std::move(fillings_), kinds);
  if (!filled) return fail(filled.error());
  imported_.refused = filled->refused;
  Atlas& atlas = imported_.atlas;
  atlas.subject = options_.subject;
  atlas.contract = options_.contract;
  atlas.provenance = {std::move(provenance)};
  atlas.state = std::move(filled->state);
  for (const Elite& elite : atlas.state.elites) {
    const Item& item = items_[elite.entry.id];
    atlas.records.push_back({item.key, pack(item.payload, atlas.blobs)});
  }
  return std::move(imported_);
}

}  // namespace kernatlas::archives
