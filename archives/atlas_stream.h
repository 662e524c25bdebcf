// Atlas files record by record: bounded memory, and a reader may stop wherever it likes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archives/atlas.h"

namespace kernatlas::archives {

// Everything that comes before the first record.
struct AtlasHeader {
  std::string writer;  // program that wrote it
  std::uint64_t minor = kAtlasMinor;
  std::string subject;
  std::string contract;
  Facts context;
  std::vector<Facts> provenance;
  ArchiveSpec spec;
  Stats counters;
  std::vector<double> extra;
};

struct AtlasTotals {
  std::uint64_t blobs = 0, elites = 0, proposals = 0;
  friend bool operator==(const AtlasTotals&, const AtlasTotals&) = default;
};

// Is told what a file holds, in the file's order. Each function returns false to stop there.
class AtlasVisitor {
 public:
  virtual ~AtlasVisitor() = default;
  virtual bool header(AtlasHeader&&) { return true; }
  // Blobs are numbered from 0 and come before the records that refer to them.
  virtual bool blob(std::uint64_t number, std::string_view text) = 0;
  virtual bool elite(Elite&&, AtlasRecord&&) = 0;
  virtual bool proposal(AtlasProposal&&) = 0;
};

// Reads from the first byte on; the totals tell how far it came. An error where the file is damaged
// (also when the visitor had stopped by itself just before).
[[nodiscard]] Expected<AtlasTotals> visit_atlas(ByteSource& source, AtlasVisitor& visitor);

// Writes one file: begin(), then records, then end(). Not thread-safe.
class AtlasWriter {
 public:
  explicit AtlasWriter(ByteSink& sink) : blocks_(sink) {}

  [[nodiscard]] Expected<void> begin(const AtlasHeader& header);
  // `blobs` is the table of the payload; its texts are written when first used. All calls of one
  // writer use the same table.
  [[nodiscard]] Expected<void> add(const Elite& elite, const AtlasRecord& record,
                                   const BlobTable& blobs);
  [[nodiscard]] Expected<void> add(const AtlasProposal& proposal, const BlobTable& blobs);
  [[nodiscard]] Expected<void> end();

 private:
  // Records or blobs that wait until a block is worth writing.
  struct Pending {
    std::string body;
    std::uint64_t count = 0;
    std::uint64_t values = 0;
  };
  [[nodiscard]] Expected<void> write_numbers(std::string_view name,
                                             const std::vector<double>& values);
  [[nodiscard]] Payload numbered(const Payload& payload, const BlobTable& blobs);
  [[nodiscard]] Expected<void> make_room(Pending& pending, std::string_view tag, std::size_t values,
                                         const Payload& payload);
  [[nodiscard]] Expected<void> flush_if_large(Pending& pending, std::string_view tag);
  [[nodiscard]] Expected<void> flush(Pending& pending, std::string_view tag);

  BlockWriter blocks_;
  AtlasTotals totals_;
  std::vector<std::uint64_t> numbers_;  // in the file, by number in the table; kUnwritten before
  Pending blobs_, elites_, proposals_;
  Expected<void> blob_error_;
};

}  // namespace kernatlas::archives
