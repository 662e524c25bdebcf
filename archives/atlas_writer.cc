// The writing half of archives/atlas_stream.h.
#include <fmt/format.h>

#include <limits>

#include "archives/atlas_header.h"
#include "archives/atlas_pack.h"
#include "archives/atlas_stream.h"
#include "archives/atlas_values.h"

namespace kernatlas::archives {
namespace {

constexpr std::uint64_t kUnwritten = std::numeric_limits<std::uint64_t>::max();
// Of one record. A payload has at most as many values as bytes, and hardly ever more than a few.
std::size_t values_in(const Elite& elite, const Payload& payload) {
  return 13 + elite.entry.measures.size() + elite.entry.costs.size() + payload.bytes.size();
}

// Blocks are as large as makes their headers and checksums cheap, and no larger.
constexpr std::size_t kBlockTarget = std::size_t{256} << 10;
constexpr std::size_t kValueTarget = Values::kMaxValues / 2;
constexpr std::size_t kNumbersPerBlock = std::size_t{1} << 15;

void pack_list(Packer& packer, const std::vector<double>& list) {
  packer.array(list.size());
  for (const double value : list) packer.number(value);
}

void pack_payload(std::string& to, Packer& packer, const Payload& payload) {
  if (payload.bytes.empty()) return packer.map(0);
  to += payload.bytes;
}

}  // namespace

Expected<void> AtlasWriter::begin(const AtlasHeader& header) {
  std::size_t bins = 0;
  for (const Axis& axis : header.spec.axes) bins += axis.bins();
  if (bins > Values::kMaxValues / 2) {
    return fail({.message = fmt::format("the axes have {} bins", bins),
                 .expected = fmt::format("at most {}", Values::kMaxValues / 2)});
  }
  if (auto begun = blocks_.begin(); !begun) return begun;
  if (auto written = blocks_.write("HEAD", encode_header(header)); !written) return written;
  if (auto written = write_numbers("points", header.spec.points); !written) return written;
  return write_numbers("extra", header.extra);
}

Expected<void> AtlasWriter::write_numbers(std::string_view name,
                                          const std::vector<double>& values) {
  for (std::size_t at = 0; at < values.size(); at += kNumbersPerBlock) {
    const std::size_t size = std::min(kNumbersPerBlock, values.size() - at);
    std::string body;
    Packer packer(body);
    packer.map(2);
    packer.text("name");
    packer.text(name);
    packer.text("values");
    packer.array(size);
    for (std::size_t i = 0; i < size; ++i) packer.number(values[at + i]);
    if (auto written = blocks_.write("NUMS", body); !written) return written;
  }
  return {};
}

Payload AtlasWriter::numbered(const Payload& payload, const BlobTable& blobs) {
  return renumber(payload, [&](std::uint64_t number) {
    if (number >= numbers_.size()) numbers_.resize(number + 1, kUnwritten);
    if (numbers_[number] == kUnwritten) {
      numbers_[number] = totals_.blobs++;
      Packer packer(blobs_.body);
      packer.bytes(blobs.at(number));
      ++blobs_.count;
      ++blobs_.values;
      if (blob_error_) blob_error_ = flush_if_large(blobs_, "BLOB");
    }
    return numbers_[number];
  });
}

Expected<void> AtlasWriter::add(const Elite& elite, const AtlasRecord& record,
                                const BlobTable& blobs) {
  const Payload payload = numbered(record.payload, blobs);
  if (!blob_error_) return blob_error_;
  const std::size_t values = values_in(elite, payload);
  if (auto room = make_room(elites_, "ELIT", values, payload); !room) return room;
  const Entry& entry = elite.entry;
  Packer packer(elites_.body);
  packer.array(our_fields().elite.size());
  packer.integer(elite.cell);
  packer.integer(elite.rank);
  packer.integer(entry.id);
  packer.number(entry.objective);
  packer.number(entry.low);
  packer.number(entry.high);
  packer.number(entry.size);
  packer.integer(entry.samples);
  pack_list(packer, entry.measures);
  pack_list(packer, entry.costs);
  packer.text(record.key);
  pack_payload(elites_.body, packer, payload);
  ++elites_.count;
  elites_.values += values;
  ++totals_.elites;
  return flush_if_large(elites_, "ELIT");
}

Expected<void> AtlasWriter::add(const AtlasProposal& proposal, const BlobTable& blobs) {
  const Payload payload = numbered(proposal.payload, blobs);
  if (!blob_error_) return blob_error_;
  const std::size_t values = 4 + payload.bytes.size();
  if (auto room = make_room(proposals_, "PROP", values, payload); !room) return room;
  Packer packer(proposals_.body);
  packer.array(our_fields().proposal.size());
  packer.text(proposal.key);
  packer.text(proposal.origin);
  pack_payload(proposals_.body, packer, payload);
  ++proposals_.count;
  proposals_.values += values;
  ++totals_.proposals;
  return flush_if_large(proposals_, "PROP");
}

// An uncommonly large record gets a block of its own.
Expected<void> AtlasWriter::make_room(Pending& pending, std::string_view tag, std::size_t values,
                                      const Payload& payload) {
  if (values < kValueTarget) return {};
  if (Values counted; !payload.bytes.empty() && !counted.parse(payload.bytes)) {
    return fail({.message = "one record has too many values",
                 .expected = fmt::format("at most {}", Values::kMaxValues)});
  }
  if (auto flushed = flush(blobs_, "BLOB"); !flushed) return flushed;
  return flush(pending, tag);
}

Expected<void> AtlasWriter::flush_if_large(Pending& pending, std::string_view tag) {
  if (pending.body.size() < kBlockTarget && pending.values < kValueTarget) return {};
  if (&pending != &blobs_) {
    if (auto flushed = flush(blobs_, "BLOB"); !flushed) return flushed;
  }
  return flush(pending, tag);
}

Expected<void> AtlasWriter::flush(Pending& pending, std::string_view tag) {
  if (pending.count == 0) return {};
  std::string content;
  content.reserve(pending.body.size() + 8);
  Packer(content).array(pending.count);
  content += pending.body;
  pending = {};
  return blocks_.write(tag, content, tag == "BLOB" ? Packing::deflate : Packing::plain);
}

Expected<void> AtlasWriter::end() {
  for (auto [pending, tag] :
       {std::pair(&blobs_, "BLOB"), std::pair(&elites_, "ELIT"), std::pair(&proposals_, "PROP")}) {
    if (auto flushed = flush(*pending, tag); !flushed) return flushed;
  }
  std::string body;
  Packer packer(body);
  packer.map(4);
  packer.text("blobs");
  packer.integer(totals_.blobs);
  packer.text("elites");
  packer.integer(totals_.elites);
  packer.text("proposals");
  packer.integer(totals_.proposals);
  packer.text("blocks");
  packer.integer(blocks_.blocks());
  return blocks_.write("END ", body);
}

}  // namespace kernatlas::archives
