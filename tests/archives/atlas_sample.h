// Atlases for tests: small, with every kind of content, made from a seed.
#pragma once

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "archives/atlas.h"
#include "archives/registry.h"

namespace kernatlas::archives::testing {

inline ArchiveSpec sample_spec() {
  Axis registers = Axis::log2("registers", "count", 16, 256, 4, OutOfRange::reject);
  registers.set_version(2);
  return {.kind = "grid",
          .axes = {registers, Axis::linear("bytes", "B", 0, 1e12, 5),
                   Axis::categorical("memory", {"direct", "tile", "asynchronous"})},
          .acceptance = "interleaved",
          .min_gain = 0.25,
          .floor = -6,
          .options = {{"depth", 2}}};
}

inline Entry sample_entry(std::mt19937_64& rng, std::uint64_t id) {
  const double objective = static_cast<double>(rng() % 1000) / 128 - 2;
  const double measures[] = {16.0 + static_cast<double>(rng() % 240),
                             static_cast<double>(rng() % 1200) * 1e9,
                             static_cast<double>(rng() % 3)};
  Entry entry;
  entry.id = id;
  entry.objective = objective;
  entry.low = objective - 0.125;
  entry.high = objective + 0.0625;
  entry.measures.assign(std::begin(measures), std::end(measures));
  entry.size = static_cast<double>(rng() % 4096);
  entry.samples = 1 + rng() % 9;
  return entry;
}

// Payload of the thing that `number` stands for: the same number, the same payload.
inline PayloadMap sample_payload(std::uint64_t number) {
  return {{"assignment", "BLOCK=" + std::to_string(number % 7)},
          {"source", "kernel " + std::to_string(number % 3) + std::string(300, 'x')},
          {"bytes", std::string("\x00\xff\x80", 3)}};
}

inline std::string sample_key(std::uint64_t number) {
  return "key-" + std::to_string(number);
}

// The atlas of an archive, elites known by sample_key and sample_payload of their ids.
inline Atlas atlas_of(const Archive& archive) {
  Atlas atlas;
  atlas.subject = "softmax";
  atlas.contract = "device 1, engine 1";
  atlas.state = archive.state();
  for (const Elite& elite : atlas.state.elites) {
    atlas.records.push_back({.key = sample_key(elite.entry.id),
                             .payload = pack(sample_payload(elite.entry.id), atlas.blobs)});
  }
  return atlas;
}

inline Atlas sample_atlas(std::uint64_t seed, std::size_t adds = 200,
                          ArchiveSpec spec = sample_spec()) {
  std::mt19937_64 rng(seed);
  const auto archive = builtin_kinds().make(std::move(spec)).value();
  for (std::uint64_t id = 0; id < adds; ++id) {
    const Entry entry = sample_entry(rng, id);
    const AddOutcome outcome = archive->add(entry);
    if (outcome.status != AddStatus::contested) continue;
    const Evidence evidence{.incumbent = *outcome.incumbent,
                            .gain = static_cast<double>(rng() % 3) - 0.5,
                            .conclusive = rng() % 2 == 0};
    archive->add(entry, evidence);
  }
  Atlas atlas = atlas_of(*archive);
  atlas.context = {{"device", "test device"}, {"policy", "map-elites"}};
  atlas.provenance = {{{"run", std::to_string(seed)}, {"seed", std::to_string(seed)}}};
  atlas.proposals.push_back({.key = sample_key(1000 + seed),
                             .origin = "device 2, engine 1",
                             .payload = pack(sample_payload(1000 + seed), atlas.blobs)});
  return atlas;
}

inline std::string bytes_of(const Atlas& atlas) {
  TextSink sink;
  const auto written = write_atlas(sink, atlas);
  if (!written) throw std::runtime_error(written.error().text());
  return sink.text();
}

inline Expected<Atlas> atlas_from(std::string_view bytes) {
  TextSource source(bytes);
  return read_atlas(source);
}

}  // namespace kernatlas::archives::testing
