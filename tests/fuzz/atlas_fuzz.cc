// The reader of atlas files: any bytes give an error or an atlas that saves, loads and saves the
// same again; and restoring its state gives an error or an archive that is what the file said.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "archives/atlas.h"
#include "archives/operations/compact.h"
#include "archives/registry.h"

namespace {

using namespace kernatlas::archives;

std::string bytes_of(const Atlas& atlas) {
  TextSink sink;
  if (!write_atlas(sink, atlas)) std::abort();
  return sink.text();
}

// Checksums keep a fuzzer out: with the first byte a zero, the rest is the content of blocks, each
// a tag, two bytes of length, and so many bytes, from which a sound file is made.
std::string sound_file(std::string_view data) {
  TextSink sink;
  BlockWriter writer(sink);
  (void)writer.begin();
  while (data.size() >= 6) {
    const std::string tag(data.substr(0, 4));
    const std::size_t size = static_cast<unsigned char>(data[4]) +
                             256 * static_cast<std::size_t>(static_cast<unsigned char>(data[5]));
    data.remove_prefix(6);
    (void)writer.write(tag, data.substr(0, size), Packing::plain);
    data.remove_prefix(std::min(size, data.size()));
  }
  return sink.text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size > 0 && data[0] == 0) bytes = sound_file(std::string_view(bytes).substr(1));
  TextSource source(bytes);
  const auto atlas = read_atlas(source, {.blob_bytes = std::uint64_t{64} << 20});
  if (!atlas) {
    if (atlas.error().message.empty()) std::abort();
    return 0;
  }
  const std::string once = bytes_of(*atlas);
  TextSource again(once);
  const auto second = read_atlas(again);
  if (!second || bytes_of(*second) != once) std::abort();
  (void)compact(*atlas, {});
  static const ArchiveKinds kKinds = builtin_kinds();
  if (const auto archive = kKinds.restore(atlas->state)) {
    if ((*archive)->state().elites != atlas->state.elites) std::abort();
  }
  return 0;
}
