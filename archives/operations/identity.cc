#include "archives/operations/identity.h"

#include <fmt/format.h>
#include <xxhash.h>

#include "archives/atlas_pack.h"

namespace kernatlas::archives {
namespace {

void pack_payload(Packer& packer, const PayloadMap& payload) {
  packer.map(payload.size());
  for (const auto& [name, text] : payload) {
    packer.text(name);
    packer.bytes(text);
  }
}

std::string unnamed(std::string_view content) {
  return std::string(1, '\0') + content_key(content);
}

}  // namespace

std::string content_key(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

std::string identity_of(const PayloadMap& payload) {
  std::string content;
  Packer packer(content);
  pack_payload(packer, payload);
  return unnamed(content);
}

std::string identity_of(const Entry& entry, const AtlasRecord& record, const BlobTable& blobs) {
  if (!record.key.empty()) return record.key;
  std::string content;
  Packer packer(content);
  for (const double number : {entry.objective, entry.low, entry.high, entry.size}) {
    packer.number(number);
  }
  packer.integer(entry.samples);
  for (const auto* list : {&entry.measures, &entry.costs}) {
    packer.array(list->size());
    for (const double number : *list) packer.number(number);
  }
  pack_payload(packer, unpack(record.payload, blobs));
  return unnamed(content);
}

}  // namespace kernatlas::archives
