#include "archives/atlas.h"

#include <fmt/format.h>

#include "archives/atlas_file.h"
#include "archives/atlas_stream.h"

namespace kernatlas::archives {
namespace {

class Collector final : public AtlasVisitor {
 public:
  explicit Collector(const LoadLimits& limits) : limits_(limits) {}

  bool header(AtlasHeader&& header) override {
    atlas.subject = std::move(header.subject);
    atlas.contract = std::move(header.contract);
    atlas.context = std::move(header.context);
    atlas.provenance = std::move(header.provenance);
    atlas.state.spec = std::move(header.spec);
    atlas.state.counters = std::move(header.counters);
    atlas.state.extra = std::move(header.extra);
    return true;
  }
  bool blob(std::uint64_t, std::string_view text) override {
    blob_bytes_ += text.size();
    if (blob_bytes_ > limits_.blob_bytes) {
      too_large = true;
      return false;
    }
    table_.push_back(atlas.blobs.add(text));
    renumbered_ = renumbered_ || table_.back() + 1 != table_.size();
    return true;
  }
  bool elite(Elite&& elite, AtlasRecord&& record) override {
    atlas.state.elites.push_back(std::move(elite));
    settle(record.payload);
    atlas.records.push_back(std::move(record));
    return true;
  }
  bool proposal(AtlasProposal&& proposal) override {
    settle(proposal.payload);
    atlas.proposals.push_back(std::move(proposal));
    return true;
  }

  Atlas atlas;
  bool too_large = false;

 private:
  // A file may hold one text twice; the table does not.
  void settle(Payload& payload) {
    if (renumbered_) payload = renumber(payload, [&](std::uint64_t each) { return table_[each]; });
  }
  LoadLimits limits_;
  std::uint64_t blob_bytes_ = 0;
  std::vector<std::uint64_t> table_;
  bool renumbered_ = false;
};

tl::unexpected<AtlasError> in_file(AtlasError error, const std::filesystem::path& file) {
  if (error.file.empty()) error.file = file.string();
  return fail(std::move(error));
}

}  // namespace

Expected<Atlas> read_atlas(ByteSource& source, const LoadLimits& limits) {
  Collector collector(limits);
  const auto totals = visit_atlas(source, collector);
  if (!totals) return fail(totals.error());
  if (collector.too_large) {
    return fail({.message = "its blobs are too large to be loaded",
                 .expected = fmt::format("at most {} bytes", limits.blob_bytes)});
  }
  return std::move(collector.atlas);
}

Expected<Atlas> load_atlas(const std::filesystem::path& file, const LoadLimits& limits) {
  const auto source = FileSource::open(file);
  if (!source) return fail(source.error());
  auto atlas = read_atlas(**source, limits);
  if (!atlas) return in_file(atlas.error(), file);
  return atlas;
}

Expected<void> write_atlas(ByteSink& sink, const Atlas& atlas) {
  AtlasWriter writer(sink);
  AtlasHeader header;
  header.subject = atlas.subject;
  header.contract = atlas.contract;
  header.context = atlas.context;
  header.provenance = atlas.provenance;
  header.spec = atlas.state.spec;
  header.counters = atlas.state.counters;
  header.extra = atlas.state.extra;
  if (auto begun = writer.begin(header); !begun) return begun;
  static const AtlasRecord kNone;
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const AtlasRecord& record = i < atlas.records.size() ? atlas.records[i] : kNone;
    if (auto added = writer.add(atlas.state.elites[i], record, atlas.blobs); !added) return added;
  }
  for (const AtlasProposal& proposal : atlas.proposals) {
    if (auto added = writer.add(proposal, atlas.blobs); !added) return added;
  }
  return writer.end();
}

Expected<void> save_atlas(const std::filesystem::path& file, const Atlas& atlas) {
  const auto saved = SavedFile::create(file);
  if (!saved) return fail(saved.error());
  if (auto written = write_atlas(**saved, atlas); !written) return in_file(written.error(), file);
  return (*saved)->commit();
}

}  // namespace kernatlas::archives
