// ByteWriter and ByteReader: the numbers and texts that the blobs of run.db are made of.
// docs/formats/run-directory.md specifies every byte. Private to engine/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

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

}  // namespace kernatlas::store
