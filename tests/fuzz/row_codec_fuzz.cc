// The decoders of run.db's blobs: any bytes give false or a value that encodes and decodes again.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/store/row_codec.h"

namespace {

using namespace kernatlas;
using namespace kernatlas::store;

// Words 1 to 9 exist; encoding writes everything in place.
class Words : public WordEncoder, public WordDecoder {
 public:
  std::uint32_t word(std::string_view) override { return 0; }
  std::optional<std::string> word(std::uint32_t number) const override {
    if (number > 9) return std::nullopt;
    return "word" + std::to_string(number);
  }
};

std::string encoded(const SettledRow& row, Words& words) {
  ByteWriter out;
  encode_body(row, words, out);
  return out.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Words words;
  SettledRow row;
  row.ticket = 1000;
  if (decode_body(bytes, words, row)) {
    const std::string once = encoded(row, words);
    SettledRow again;
    again.ticket = row.ticket;
    if (!decode_body(once, words, again) || encoded(again, words) != once) std::abort();
  }
  if (const auto text = unpack_text(bytes)) {
    TextPacker packer;
    if (unpack_text(packer.pack(*text)) != text) std::abort();
  }
  return 0;
}
