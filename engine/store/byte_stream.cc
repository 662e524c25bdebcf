#include "engine/store/byte_stream.h"

#include <bit>

namespace kernatlas::store {

void ByteWriter::unsigned_number(std::uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<std::uint8_t>(value | 0x80));
    value >>= 7;
  }
  byte(static_cast<std::uint8_t>(value));
}

void ByteWriter::signed_number(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  unsigned_number((bits << 1) ^ (value < 0 ? ~std::uint64_t{0} : 0));
}

void ByteWriter::number(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const int size = 8 - std::countr_zero(bits) / 8;
  byte(static_cast<std::uint8_t>(size));
  for (int i = 0; i < size; ++i) byte(static_cast<std::uint8_t>(bits >> (56 - 8 * i)));
}

void ByteWriter::text(std::string_view value) {
  unsigned_number(value.size());
  raw(value);
}

std::uint8_t ByteReader::byte() {
  if (rest_.empty()) {
    fail();
    return 0;
  }
  const auto value = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return value;
}

std::uint64_t ByteReader::unsigned_number() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    if (shift == 63 && next > 1) break;
    value |= std::uint64_t{next & 0x7fu} << shift;
    if ((next & 0x80) == 0) return ok_ ? value : 0;
  }
  fail();
  return 0;
}

std::uint32_t ByteReader::number32() {
  const std::uint64_t value = unsigned_number();
  if (value >> 32 != 0) {
    fail();
    return 0;
  }
  return static_cast<std::uint32_t>(value);
}

std::int64_t ByteReader::signed_number() {
  const std::uint64_t value = unsigned_number();
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

double ByteReader::number() {
  const std::uint8_t size = byte();
  if (size > 8) fail();
  std::uint64_t bits = 0;
  for (int i = 0; i < size && ok_; ++i) bits |= std::uint64_t{byte()} << (56 - 8 * i);
  return ok_ ? std::bit_cast<double>(bits) : 0;
}

std::string_view ByteReader::text() {
  return raw(count());
}

std::string_view ByteReader::raw(std::size_t size) {
  if (size > rest_.size()) {
    fail();
    return {};
  }
  const std::string_view value = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return value;
}

std::size_t ByteReader::count(std::size_t least) {
  const std::uint64_t value = unsigned_number();
  if (value > rest_.size() / least) {
    fail();
    return 0;
  }
  return static_cast<std::size_t>(value);
}

}  // namespace kernatlas::store
