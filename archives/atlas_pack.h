// Packer: msgpack values appended to a string. Private to archives/*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kernatlas::archives {

class Packer {
 public:
  // Appends to `to`, which outlives it; others may append between calls.
  explicit Packer(std::string& to) : to_(to) {}
  void integer(std::uint64_t value);
  void signed_integer(std::int64_t value);
  void number(double value);  // an integer where it is whole: shorter, and read back the same
  void text(std::string_view value);
  void bytes(std::string_view value);
  void array(std::size_t size);
  void map(std::size_t size);

 private:
  std::string& to_;
};

}  // namespace kernatlas::archives
