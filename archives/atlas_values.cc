#include "archives/atlas_values.h"

#include <fmt/format.h>

#include <msgpack.hpp>

namespace kernatlas::archives {
namespace {

using Token = Values::Token;
using Kind = Values::Kind;

// msgpack-c calls the visitor for every value; nothing is allocated for what a length claims.
class Collector : public msgpack::null_visitor {
 public:
  explicit Collector(std::vector<Token>& tokens) : tokens_(tokens) {}

  bool visit_nil() { return add({{.integer = 0}, 0, Kind::nil}); }
  bool visit_boolean(bool value) { return add({{.integer = value}, 0, Kind::boolean}); }
  bool visit_positive_integer(std::uint64_t value) {
    return add({{.integer = value}, 0, Kind::integer});
  }
  bool visit_negative_integer(std::int64_t value) {
    return add({{.number = static_cast<double>(value)}, 0, Kind::negative});
  }
  bool visit_float32(float value) { return visit_float64(static_cast<double>(value)); }
  bool visit_float64(double value) { return add({{.number = value}, 0, Kind::number}); }
  bool visit_str(const char* data, std::uint32_t size) {
    return add({{.data = data}, size, Kind::text});
  }
  bool visit_bin(const char* data, std::uint32_t size) {
    return add({{.data = data}, size, Kind::bytes});
  }
  bool visit_ext(const char*, std::uint32_t) {
    problem = "an extension type";
    return false;
  }
  bool start_array(std::uint32_t size) { return open({{.integer = 0}, size, Kind::array}); }
  bool end_array() { return close(); }
  bool start_map(std::uint32_t size) { return open({{.integer = 0}, size, Kind::map}); }
  bool end_map() { return close(); }
  void parse_error(std::size_t, std::size_t error_offset) { offset = error_offset; }
  void insufficient_bytes(std::size_t, std::size_t error_offset) {
    offset = error_offset;
    problem = "the value ends early";
  }
  bool referenced() const { return false; }
  void set_referenced(bool) {}

  std::size_t offset = 0;
  std::string_view problem = "no msgpack value";

 private:
  bool add(const Token& token) {
    if (tokens_.size() == Values::kMaxValues) {
      problem = "too many values in one block";
      return false;
    }
    tokens_.push_back(token);
    return true;
  }
  bool open(const Token& token) {
    if (++depth_ > Values::kMaxDepth) {
      problem = "values nested too deep";
      return false;
    }
    return add(token);
  }
  bool close() {
    --depth_;
    return true;
  }
  std::vector<Token>& tokens_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string_view name(Values::Kind kind) {
  switch (kind) {
    case Kind::nil:
      return "nil";
    case Kind::boolean:
      return "a boolean";
    case Kind::integer:
      return "an integer";
    case Kind::negative:
      return "a negative integer";
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a text";
    case Kind::bytes:
      return "bytes";
    case Kind::array:
      return "an array";
    case Kind::map:
      return "a map";
  }
  return "?";
}

Expected<void> Values::parse(std::string_view bytes) {
  tokens_.clear();
  next_ = 0;
  problem_.clear();
  Collector collector(tokens_);
  std::size_t offset = 0;
  if (!msgpack::parse(bytes.data(), bytes.size(), offset, collector)) {
    return archives::fail(
        {.message = std::string(collector.problem),
         .offset = collector.offset,
         .expected = fmt::format("msgpack of at most {} values, {} deep", kMaxValues, kMaxDepth)});
  }
  if (offset != bytes.size()) {
    return archives::fail(
        {.message = fmt::format("{} bytes follow the block's value", bytes.size() - offset),
         .offset = offset,
         .expected = "one msgpack value"});
  }
  return {};
}

void Values::fail(std::string_view problem) {
  if (problem_.empty()) problem_ = problem;
}

Kind Values::peek() const {
  return !ok() || next_ == tokens_.size() ? Kind::nil : tokens_[next_].kind;
}

const Token* Values::take(Kind kind) {
  if (!ok()) return nullptr;
  if (next_ == tokens_.size()) {
    fail(fmt::format("{} was expected, but nothing follows", name(kind)));
    return nullptr;
  }
  if (tokens_[next_].kind != kind) {
    fail(fmt::format("{} was expected, not {}", name(kind), name(tokens_[next_].kind)));
    return nullptr;
  }
  return &tokens_[next_++];
}

std::uint64_t Values::integer() {
  const Token* token = take(Kind::integer);
  return token == nullptr ? 0 : token->integer;
}

double Values::number() {
  if (peek() == Kind::integer) return static_cast<double>(integer());
  const Token* token = take(peek() == Kind::negative ? Kind::negative : Kind::number);
  return token == nullptr ? 0 : token->number;
}

std::string_view Values::text() {
  const Token* token = take(Kind::text);
  return token == nullptr ? std::string_view{} : std::string_view(token->data, token->size);
}

std::string_view Values::text_or_bytes() {
  if (peek() == Kind::text) return text();
  const Token* token = take(Kind::bytes);
  return token == nullptr ? std::string_view{} : std::string_view(token->data, token->size);
}

std::size_t Values::array() {
  const Token* token = take(Kind::array);
  return token == nullptr ? 0 : token->size;
}

std::size_t Values::map() {
  const Token* token = take(Kind::map);
  return token == nullptr ? 0 : token->size;
}

void Values::skip() {
  std::size_t left = 1;
  while (ok() && left > 0) {
    if (next_ == tokens_.size()) return fail("a value was expected, but nothing follows");
    const Token& token = tokens_[next_++];
    --left;
    if (token.kind == Kind::array) left += token.size;
    if (token.kind == Kind::map) left += 2 * std::size_t{token.size};
  }
}

}  // namespace kernatlas::archives
