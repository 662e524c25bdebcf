#include "archives/atlas_pack.h"

#include <cmath>
#include <msgpack.hpp>

namespace kernatlas::archives {
namespace {

struct Buffer {
  std::string& to;
  void write(const char* data, std::size_t size) { to.append(data, size); }
};

template <typename Pack>
void packed(std::string& to, const Pack& pack) {
  Buffer buffer{to};
  msgpack::packer<Buffer> packer(buffer);
  pack(packer);
}

std::uint32_t length(std::size_t size) {
  return static_cast<std::uint32_t>(size);  // blocks are shorter than 2^32
}

}  // namespace

void Packer::integer(std::uint64_t value) {
  packed(to_, [value](auto& packer) { packer.pack_uint64(value); });
}

void Packer::signed_integer(std::int64_t value) {
  packed(to_, [value](auto& packer) { packer.pack_int64(value); });
}

void Packer::number(double value) {
  // msgpack-c writes whole numbers as integers, which would lose the sign of zero.
  if (value == 0 && std::signbit(value)) {
    to_.append("\xcb\x80\0\0\0\0\0\0\0", 9);
  } else {
    packed(to_, [value](auto& packer) { packer.pack_double(value); });
  }
}

void Packer::text(std::string_view value) {
  packed(to_, [value](auto& packer) {
    packer.pack_str(length(value.size()));
    packer.pack_str_body(value.data(), length(value.size()));
  });
}

void Packer::bytes(std::string_view value) {
  packed(to_, [value](auto& packer) {
    packer.pack_bin(length(value.size()));
    packer.pack_bin_body(value.data(), length(value.size()));
  });
}

void Packer::array(std::size_t size) {
  packed(to_, [size](auto& packer) { packer.pack_array(length(size)); });
}

void Packer::map(std::size_t size) {
  packed(to_, [size](auto& packer) { packer.pack_map(length(size)); });
}

}  // namespace kernatlas::archives
