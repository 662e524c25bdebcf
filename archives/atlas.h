// Atlas: an archive as a portable file, *.atlas. docs/formats/atlas.md specifies every byte.
//
// An atlas is an archive's state, what each elite stands for (a payload that archives do not look
// into), and proposals: payloads without numbers, because what was measured of them elsewhere means
// nothing here until it is measured again.
//
// Saving what was loaded gives the same bytes. Loading accepts any bytes: an error says where and
// what. archives/atlas_stream.h reads and writes record by record, in bounded memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "archives/atlas_blocks.h"
#include "archives/atlas_error.h"
#include "archives/atlas_payload.h"
#include "archives/spec.h"

namespace kernatlas::archives {

// Facts about an archive or its making, by name; opaque texts, kept in files, merged as sets.
using Facts = std::map<std::string, std::string>;

// What an elite stands for. The key identifies it across archives: equal keys, equal things. Ids do
// not: every run counts its own. An empty key equals none.
struct AtlasRecord {
  std::string key;
  Payload payload;
};

// Something to be measured here. `origin` says where it comes from: the contract of the archive in
// which it was an elite.
struct AtlasProposal {
  std::string key;
  std::string origin;
  Payload payload;
};

struct Atlas {
  // What is searched for ("softmax"); archives of different subjects do not mix.
  std::string subject;
  // What an objective means: device, driver, engine version, …. Objectives of different contracts
  // do not mix: one side becomes proposals.
  std::string contract;
  Facts context;                  // whatever else the writer found worth saying
  std::vector<Facts> provenance;  // one for each search the content comes from
  ArchiveState state;
  std::vector<AtlasRecord> records;  // of state.elites, in the same order
  std::vector<AtlasProposal> proposals;
  BlobTable blobs;
};

struct LoadLimits {
  std::uint64_t blob_bytes = std::uint64_t{1} << 30;  // inflated, all blobs together
};

[[nodiscard]] Expected<Atlas> read_atlas(ByteSource& source, const LoadLimits& limits = {});
[[nodiscard]] Expected<Atlas> load_atlas(const std::filesystem::path& file,
                                         const LoadLimits& limits = {});

// Blobs are numbered afresh, by first use; what nothing refers to is left out.
[[nodiscard]] Expected<void> write_atlas(ByteSink& sink, const Atlas& atlas);
// By temporary file, fsync and rename: FILE is the old or the new one, whatever happens.
[[nodiscard]] Expected<void> save_atlas(const std::filesystem::path& file, const Atlas& atlas);

}  // namespace kernatlas::archives
