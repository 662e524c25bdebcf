#include "engine/store/row_codec.h"

#include <doctest/doctest.h>

#include <map>

#include "tests/engine/store_rows.h"

using namespace kernatlas;
using namespace kernatlas::store;
namespace kt = kernatlas::testing;

namespace {

// A dictionary in memory; words that begin with '!' are written out in place.
class Words : public WordEncoder, public WordDecoder {
 public:
  std::uint32_t word(std::string_view text) override {
    if (text.empty() || text.front() == '!') return 0;
    const auto [found, fresh] = numbers_.emplace(text, numbers_.size() + 1);
    if (fresh) texts_.emplace_back(text);
    return found->second;
  }
  std::optional<std::string> word(std::uint32_t number) const override {
    if (number == 0 || number > texts_.size()) return std::nullopt;
    return texts_[number - 1];
  }

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::vector<std::string> texts_;
};

// What decode_body fills in, with the rest taken over from the original.
std::optional<SettledRow> decoded(std::string_view bytes, const Words& words,
                                  const SettledRow& original) {
  SettledRow row = original;
  row.parents.clear();
  row.settled_unix_ms = 0;
  row.verdict.comparison.reset();
  row.verdict.compared_with = 0;
  row.outcome = {};
  if (!decode_body(bytes, words, row)) return std::nullopt;
  row.outcome.kind = original.outcome.kind;
  row.outcome.fitness = original.outcome.fitness;
  row.outcome.fitness_interval = original.outcome.fitness_interval;
  row.outcome.detail = original.outcome.detail;
  return row;
}

}  // namespace

TEST_CASE("numbers survive bit for bit and small ones are short") {
  const std::uint64_t unsigned_values[] = {0, 1, 127, 128, 300, 1ull << 32, ~0ull};
  const std::int64_t signed_values[] = {0, -1, 1, -64, 64, INT64_MIN, INT64_MAX};
  const double doubles[] = {0.0, -0.0, 1.0, 1.5, 0.1, 5e-324, HUGE_VAL, -HUGE_VAL, -1e300};
  ByteWriter out;
  for (const auto value : unsigned_values) out.unsigned_number(value);
  for (const auto value : signed_values) out.signed_number(value);
  for (const auto value : doubles) out.number(value);
  ByteReader in(out.bytes());
  for (const auto value : unsigned_values) CHECK(in.unsigned_number() == value);
  for (const auto value : signed_values) CHECK(in.signed_number() == value);
  for (const auto value : doubles) CHECK(kt::same(in.number(), value));
  CHECK(in.ok());
  CHECK(in.at_end());

  const auto size_of_number = [](double value) {
    ByteWriter one;
    one.number(value);
    return one.bytes().size();
  };
  CHECK(size_of_number(0) == 1);
  CHECK(size_of_number(1.5) == 3);
  CHECK(size_of_number(0.1) == 9);
}

TEST_CASE("malformed values fail once and for all") {
  const std::pair<const char*, std::string> cases[] = {
      {"empty", ""},
      {"number without end", std::string(3, '\xff')},
      {"more than 64 bits", std::string(9, '\xff') + "\x02"},
  };
  for (const auto& one : cases) {
    const auto& name = one.first;
    const auto& bytes = one.second;
    CAPTURE(name);
    ByteReader in(bytes);
    CHECK(in.unsigned_number() == 0);
    CHECK_FALSE(in.ok());
    CHECK(in.byte() == 0);
    CHECK(in.text().empty());
  }
  const std::string all_bits = std::string(9, '\xff') + "\x01";
  ByteReader largest(all_bits);
  CHECK(largest.unsigned_number() == ~0ull);
  CHECK(largest.ok());

  const std::string nine_bytes = "\x09" + std::string(9, 'x');
  ByteReader number(nine_bytes);
  CHECK(number.number() == 0);
  CHECK_FALSE(number.ok());

  ByteWriter large;
  large.unsigned_number(1ull << 32);
  ByteReader narrow(large.bytes());
  CHECK(narrow.number32() == 0);
  CHECK_FALSE(narrow.ok());

  ByteWriter counted;
  counted.unsigned_number(4);
  counted.raw("12345678");
  CHECK(ByteReader(counted.bytes()).count(2) == 4);
  ByteReader too_many(counted.bytes());
  CHECK(too_many.count(3) == 0);
  CHECK_FALSE(too_many.ok());
}

TEST_CASE("rows survive encoding") {
  Words words;
  ByteWriter out;
  for (std::uint64_t ticket = 0; ticket < 500; ++ticket) {
    CAPTURE(ticket);
    SettledRow row = kt::some_row(ticket);
    if (ticket % 7 == 0) row.outcome.features.set("!written out", std::string("!too"));
    out.clear();
    encode_body(row, words, out);
    const auto back = decoded(out.bytes(), words, row);
    REQUIRE(back);
    CHECK(kt::same(*back, row));
  }
}

TEST_CASE("no part of a row passes for a row, and changed bytes do no harm") {
  Words words;
  std::uint64_t accepted = 0;
  for (std::uint64_t ticket = 0; ticket < 15; ++ticket) {
    CAPTURE(ticket);
    const SettledRow row = kt::some_row(ticket);
    ByteWriter out;
    encode_body(row, words, out);
    const std::string bytes = out.bytes();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK_FALSE(decoded(bytes.substr(0, size), words, row));
    }
    CHECK_FALSE(decoded(bytes + '\0', words, row));
    Rng rng = stream(1, 2, ticket);
    for (int i = 0; i < 200; ++i) {
      std::string changed = bytes;
      changed[uniform_below(rng, changed.size())] = static_cast<char>(rng());
      accepted += decoded(changed, words, row) ? 1 : 0;
    }
  }
  CHECK(accepted > 0);         // a changed digit of a number cannot be noticed here
  CHECK(accepted < 15 * 200);  // a changed structure is
}

TEST_CASE("a word nobody knows and a version of the future are refused") {
  Words words;
  ByteWriter out;
  const SettledRow row = kt::some_row(3);
  encode_body(row, words, out);
  CHECK_FALSE(decoded(out.bytes(), Words{}, row));
  std::string newer = out.bytes();
  newer[0] = 2;
  CHECK_FALSE(decoded(newer, words, row));
}

TEST_CASE("texts are packed when that helps") {
  TextPacker packer;
  const std::string repeated = [] {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "warning: unused variable 'x'\n";
    return text;
  }();
  Rng rng = stream(5, 5, 5);
  std::string noise;
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>(rng());
  for (const std::string& text : {std::string(), std::string("short"), repeated, noise}) {
    CHECK(unpack_text(packer.pack(text)) == text);
  }
  CHECK(packer.pack(repeated).size() < repeated.size() / 10);
  CHECK(packer.pack(noise).size() == noise.size() + 1);
}

TEST_CASE("packed texts that are damaged, unknown or too large are refused") {
  TextPacker packer;
  const std::string packed(packer.pack(std::string(5000, 'x')));
  REQUIRE(packed[0] == 1);
  CHECK_FALSE(unpack_text(""));
  CHECK_FALSE(unpack_text("\x07 unknown form"));
  CHECK_FALSE(unpack_text(packed.substr(0, packed.size() - 1)));
  CHECK_FALSE(unpack_text(std::string("\x01", 1) + "this is no frame"));
  const std::string bomb(packer.pack(std::string(kPackedTextLimit + 1, 'x')));
  CHECK(bomb.size() < 10'000);
  CHECK_FALSE(unpack_text(bomb));
}

TEST_CASE("hashes are stored in the order of their hexadecimal texts") {
  const Hash128 hash{0x0102030405060708, 0x090a0b0c0d0e0fff};
  CHECK(hash_bytes(hash) == std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e"
                                        "\x0f\xff"));
  CHECK(hash_from_bytes(hash_bytes(hash)) == hash);
  CHECK_FALSE(hash_from_bytes("too short"));
}
