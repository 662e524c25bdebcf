// The encodings of the blobs in run.db: what only a look at one evaluation needs, packed small.
// docs/formats/run-directory.md specifies every byte. Private to engine/store.
//
// Decoders accept any bytes: they answer false instead of reading past the end, and never reserve
// more memory than the input could fill. Numbers survive bit for bit, NaN as some NaN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/store/byte_stream.h"
#include "engine/store/run_database.h"
#include "kernel/outcome.h"

struct ZSTD_CCtx_s;

namespace kernatlas::store {

// Words that repeat in row after row (feature names and labels, flags, devices) are stored once, in
// the table `word`, and referred to by number.
class WordEncoder {
 public:
  virtual ~WordEncoder() = default;
  // Its number, from 1; 0 when it is to be written out in place.
  [[nodiscard]] virtual std::uint32_t word(std::string_view text) = 0;
};
class WordDecoder {
 public:
  virtual ~WordDecoder() = default;
  [[nodiscard]] virtual std::optional<std::string> word(std::uint32_t number) const = 0;
};

// Everything of an outcome but kind, fitness, fitness_interval (columns) and detail (packed text).
void encode_outcome(const Outcome& outcome, WordEncoder& words, ByteWriter& out);
[[nodiscard]] bool decode_outcome(ByteReader& in, const WordDecoder& words, Outcome& outcome);

// The column `body` of `record`: parents, settled_unix_ms, comparison, and the outcome as above.
void encode_body(const SettledRow& row, WordEncoder& words, ByteWriter& out);
// `row.ticket` must be set: parents are stored relative to it.
[[nodiscard]] bool decode_body(std::string_view bytes, const WordDecoder& words, SettledRow& row);

// Texts, compressed with zstd where that makes them shorter. One packer per thread.
class TextPacker {
 public:
  TextPacker();
  ~TextPacker();
  TextPacker(const TextPacker&) = delete;
  TextPacker& operator=(const TextPacker&) = delete;
  // The result lives until the next call.
  [[nodiscard]] std::string_view pack(std::string_view text);

 private:
  std::unique_ptr<ZSTD_CCtx_s, std::size_t (*)(ZSTD_CCtx_s*)> context_;
  std::string packed_;
};

// Nothing when malformed, or when the text would be longer than kPackedTextLimit.
inline constexpr std::size_t kPackedTextLimit = 16u << 20;
[[nodiscard]] std::optional<std::string> unpack_text(std::string_view packed);

// A hash as 16 bytes, most significant first: the order of bytes is the order of hexadecimal texts.
[[nodiscard]] std::string hash_bytes(const Hash128& hash);
[[nodiscard]] std::optional<Hash128> hash_from_bytes(std::string_view bytes);

}  // namespace kernatlas::store
