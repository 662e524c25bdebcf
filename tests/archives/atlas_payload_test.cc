#include "archives/atlas_payload.h"

#include <doctest/doctest.h>

using namespace kernatlas::archives;

TEST_CASE("a payload gives back what was put in; long values are stored once") {
  BlobTable blobs;
  const PayloadMap values{{"empty", ""},
                          {"inline", std::string(kInlineBytes, 'i')},
                          {"long", std::string(kInlineBytes + 1, 'l')},
                          {"zero", std::string("\0\xff", 2)}};
  const Payload payload = pack(values, blobs);
  CHECK(unpack(payload, blobs) == values);
  CHECK(blobs.size() == 1);
  CHECK(pack(values, blobs) == payload);
  CHECK(blobs.size() == 1);
  CHECK(value(payload, blobs, "long") == values.at("long"));
  CHECK(value(payload, blobs, "zero") == values.at("zero"));
  CHECK_FALSE(value(payload, blobs, "none").has_value());
  CHECK(pack({}, blobs).bytes.empty());
  CHECK(unpack({}, blobs).empty());
}

TEST_CASE("a payload moves to another table") {
  BlobTable from;
  BlobTable to;
  from.add("something else");
  const PayloadMap values{{"a", std::string(200, 'a')}, {"b", "short"}};
  const Payload payload = pack(values, from);
  to.add("one");
  to.add("two");
  to.add("three");
  const Payload moved = move_to(to, payload, from);
  CHECK(moved != payload);
  CHECK(unpack(moved, to) == values);
  CHECK(to.size() == 4);
  CHECK(move_to(to, payload, from) == moved);
  CHECK(to.size() == 4);
}

TEST_CASE("copies of a table share nothing that changes") {
  BlobTable first;
  first.add("a");
  BlobTable second = first;
  second.add("b");
  CHECK(first.size() == 1);
  CHECK(second.add("a") == 0);
  CHECK(second.at(1) == "b");
}

TEST_CASE("bytes that are no payload are an empty one") {
  BlobTable blobs;
  for (const std::string bytes : {"\x91\x01", "\xc1", "\x81\xa1k", "\x81\x01\x01"}) {
    CHECK(unpack({bytes}, blobs).empty());
    CHECK(renumber({bytes}, [](std::uint64_t number) { return number; }).bytes.empty());
  }
}
