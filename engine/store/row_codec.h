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

#include "engine/store/run_database.h"
#include "kernel/outcome.h"

struct ZSTD_CCtx_s;

namespace kernatlas::store {

class ByteWriter {
 public:
  void byte(std::uint8_t value) { bytes_ += static_cast<char>(value); }
  // LEB128: seven bits a byte, least significant first.
  void unsigned_number(std::uint64_t value);
  // Zigzag, then as above: small magnitudes are short.
  void signed_number(std::int64_t value);
  // A count n, then the n most significant bytes of the IEEE bits; trailing zero bytes are left
  // out, so that 0, 1.5 or infinity take one to three bytes.
  void number(double value);
  void text(std::string_view value);  // length, bytes
  void raw(std::string_view value) { bytes_ += value; }
  void clear() { bytes_.clear(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// After the first malformed value every read gives zeros and ok() is false.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] std::uint8_t byte();
  [[nodiscard]] std::uint64_t unsigned_number();
  [[nodiscard]] std::uint32_t number32();  // an unsigned_number that must fit
  [[nodiscard]] std::int64_t signed_number();
  [[nodiscard]] double number();
  [[nodiscard]] std::string_view text();
  [[nodiscard]] std::string_view raw(std::size_t size);
  // A count of elements of at least `least` bytes each; more than the rest can hold is malformed.
  [[nodiscard]] std::size_t count(std::size_t least = 1);
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

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
