// Values: the msgpack values of one block, checked once and then walked from first to last.
//
// Any bytes may be given. At most kMaxValues values are accepted, at most kMaxDepth deep, and none
// of them is copied: memory is bounded by kMaxValues, whatever lengths the bytes claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archives/atlas_error.h"

namespace kernatlas::archives {

class Values {
 public:
  static constexpr std::size_t kMaxValues = std::size_t{1} << 20;
  static constexpr std::size_t kMaxDepth = 8;

  enum class Kind : std::uint8_t {
    nil,
    boolean,
    integer,
    negative,
    number,
    text,
    bytes,
    array,
    map
  };

  // `bytes` must hold exactly one msgpack value, and outlives the object. The error's offset is
  // relative to `bytes`. Reuses its memory from call to call.
  [[nodiscard]] Expected<void> parse(std::string_view bytes);

  // Walking. A getter that meets a value of another kind gives a zero and makes ok() false; all
  // later ones do the same.
  [[nodiscard]] Kind peek() const;
  [[nodiscard]] std::uint64_t integer();
  [[nodiscard]] double number();  // an integer will do
  [[nodiscard]] std::string_view text();
  [[nodiscard]] std::string_view text_or_bytes();
  [[nodiscard]] std::size_t array();  // its length; its elements follow
  [[nodiscard]] std::size_t map();    // its number of pairs; keys and values follow
  void skip();                        // one value with all that is in it
  void fail(std::string_view problem);
  [[nodiscard]] bool ok() const { return problem_.empty(); }
  // Of the first failure: "a number was expected, not a map".
  [[nodiscard]] const std::string& problem() const { return problem_; }

  struct Token {
    union {
      std::uint64_t integer;
      double number;
      const char* data;
    };
    std::uint32_t size;
    Kind kind;
  };

 private:
  const Token* take(Kind kind);
  std::vector<Token> tokens_;
  std::size_t next_ = 0;
  std::string problem_;
};

[[nodiscard]] std::string_view name(Values::Kind kind);

}  // namespace kernatlas::archives
