#include "archives/operations/compact.h"

#include <unordered_set>

namespace kernatlas::archives {
namespace {

Payload slimmed(const Payload& payload, const BlobTable& from, const CompactOptions& options,
                Compacted& result) {
  PayloadMap values = unpack(payload, from);
  result.dropped_values +=
      std::erase_if(values, [&](const auto& each) { return options.drop.contains(each.first); });
  return pack(values, result.atlas.blobs);
}

}  // namespace

Compacted compact(const Atlas& atlas, const CompactOptions& options) {
  Compacted result;
  Atlas& slim = result.atlas;
  slim.subject = atlas.subject;
  slim.contract = atlas.contract;
  slim.context = atlas.context;
  slim.provenance = atlas.provenance;
  slim.state.spec = atlas.state.spec;
  slim.state.counters = atlas.state.counters;
  slim.state.extra = atlas.state.extra;
  std::unordered_set<std::string> keys;
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    if (atlas.state.elites[i].rank >= options.depth) {
      ++result.dropped_elites;
      continue;
    }
    const AtlasRecord& record = atlas.records[i];
    slim.state.elites.push_back(atlas.state.elites[i]);
    slim.records.push_back({record.key, slimmed(record.payload, atlas.blobs, options, result)});
    keys.insert(record.key);
  }
  for (const AtlasProposal& each : atlas.proposals) {
    if (!options.proposals || (!keys.insert(each.key).second && !each.key.empty())) {
      ++result.dropped_proposals;
      continue;
    }
    slim.proposals.push_back(
        {each.key, each.origin, slimmed(each.payload, atlas.blobs, options, result)});
  }
  return result;
}

}  // namespace kernatlas::archives
