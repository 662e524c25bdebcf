// What a reader does with atlases that were cut off, changed, or made to hurt.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <zlib.h>

#include <msgpack.hpp>

#include "archives/atlas_blocks.h"
#include "archives/atlas_values.h"
#include "tests/archives/atlas_sample.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;

namespace {

std::string le32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

// A block with a right checksum, whatever is in it.
std::string block(std::string_view tag, std::string_view stored, std::uint32_t encoding = 0,
                  std::optional<std::uint32_t> raw = {}) {
  std::string header = std::string(tag) + le32(encoding) +
                       le32(static_cast<std::uint32_t>(stored.size())) +
                       le32(raw.value_or(static_cast<std::uint32_t>(stored.size())));
  uLong crc = crc32(0, reinterpret_cast<const Bytef*>(header.data()), 16);
  crc = crc32_z(crc, reinterpret_cast<const Bytef*>(stored.data()), stored.size());
  return header + le32(static_cast<std::uint32_t>(crc)) + std::string(stored);
}

const std::string kStart = std::string("\x89katlas\x01");

// Offsets of the blocks of a sound file, its end included.
std::vector<std::size_t> block_offsets(const std::string& bytes) {
  std::vector<std::size_t> offsets;
  TextSource source(bytes);
  BlockReader reader(source);
  REQUIRE(reader.begin().has_value());
  for (;;) {
    const auto next = reader.next();
    REQUIRE(next.has_value());
    if (!*next) break;
    offsets.push_back((*next)->offset);
  }
  offsets.push_back(bytes.size());
  return offsets;
}

AtlasError error_of(const std::string& bytes) {
  const auto loaded = atlas_from(bytes);
  REQUIRE_FALSE(loaded.has_value());
  CHECK_FALSE(loaded.error().message.empty());
  return loaded.error();
}

std::string head_of(const std::string& bytes) {
  const auto offsets = block_offsets(bytes);
  return bytes.substr(offsets[0], offsets[1] - offsets[0]);
}

}  // namespace

TEST_CASE("a file cut off anywhere is an error that says where") {
  const std::string bytes = bytes_of(sample_atlas(1, 60));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    const AtlasError error = error_of(bytes.substr(0, size));
    REQUIRE(error.offset.has_value());
    CHECK(*error.offset <= size);
    CHECK_FALSE(error.hint.empty());
  }
}

TEST_CASE("any flipped bit is noticed") {
  const std::string bytes = bytes_of(sample_atlas(2, 30));
  std::mt19937_64 rng(9);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << (rng() % 8)));
    CAPTURE(at);
    CHECK_FALSE(atlas_from(damaged).has_value());
  }
}

TEST_CASE("blocks that are missing, twice there, or followed by something are noticed") {
  const std::string bytes = bytes_of(sample_atlas(3, 40));
  const auto offsets = block_offsets(bytes);
  REQUIRE(offsets.size() >= 5);
  for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
    CAPTURE(i);
    const std::string one = bytes.substr(offsets[i], offsets[i + 1] - offsets[i]);
    error_of(bytes.substr(0, offsets[i]) + bytes.substr(offsets[i + 1]));
    error_of(bytes.substr(0, offsets[i]) + one + bytes.substr(offsets[i]));
  }
  error_of(bytes + "x");
  error_of(bytes + block("more", ""));
}

TEST_CASE("other files and other versions are named as such") {
  CHECK(error_of("").message == "this is no atlas file");
  CHECK(error_of("SQLite format 3").message == "this is no atlas file");
  CHECK(error_of("\x89katlas").message.find("ends within its signature") != std::string::npos);
  const AtlasError newer = error_of("\x89katlas\x02more");
  CHECK(newer.message == "the file has format version 2");
  CHECK(newer.expected == "at most 1");
}

TEST_CASE("unknown blocks: optional ones are skipped, others ask for a later program") {
  const std::string bytes = bytes_of(sample_atlas(4, 40));
  const auto offsets = block_offsets(bytes);
  const std::size_t end = offsets[offsets.size() - 2];
  // The last block counts the blocks before it, so it is made again.
  const auto with = [&](const std::string& tag) {
    const auto plain = atlas_from(bytes);
    msgpack::sbuffer buffer;
    msgpack::packer<msgpack::sbuffer> packer(buffer);
    packer.pack(std::map<std::string, std::uint64_t>{{"blobs", plain->blobs.size()},
                                                     {"elites", plain->state.elites.size()},
                                                     {"proposals", plain->proposals.size()},
                                                     {"blocks", offsets.size() - 1}});
    return bytes.substr(0, end) + block(tag, "what comes later") +
           block("END ", std::string_view(buffer.data(), buffer.size()));
  };
  REQUIRE(atlas_from(with("newb")).has_value());
  CHECK(bytes_of(*atlas_from(with("newb"))) == bytes);
  const AtlasError error = error_of(with("NEWB"));
  CHECK(error.message == "there is a block \"NEWB\"");
  CHECK(error.hint == "use a later version of the program");
}

TEST_CASE("huge lengths cost nothing") {
  const std::string head = head_of(bytes_of(sample_atlas(5, 10)));
  CHECK(error_of(kStart + "HEAD" + le32(0) + le32(0xffffffff) + le32(0xffffffff) + le32(0))
            .message.find("claims 4294967295 bytes") != std::string::npos);
  CHECK(error_of(kStart + "HEAD" + le32(0) + le32(1 << 24) + le32(1 << 24) + le32(0) + "abc")
            .message.find("ends within") != std::string::npos);
  rusage before{};
  getrusage(RUSAGE_SELF, &before);
  // Arrays, maps, texts and bytes of 4 G, alone and nested.
  for (const std::string& body :
       {std::string("\xdd\xff\xff\xff\xff", 5), std::string("\xdf\xff\xff\xff\xff", 5),
        std::string("\xdb\xff\xff\xff\xff", 5), std::string("\xc6\xff\xff\xff\xff", 5),
        std::string("\xdd\xff\xff\xff\xff\xdd\xff\xff\xff\xff\xdd\xff\xff\xff\xff", 15)}) {
    for (const char* tag : {"BLOB", "ELIT", "PROP", "NUMS", "END "}) {
      error_of(kStart + head + block(tag, body));
    }
    error_of(kStart + block("HEAD", body));
  }
  rusage after{};
  getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
}

TEST_CASE("deep nesting, too many values, extension types and loose ends are refused") {
  const std::string head = head_of(bytes_of(sample_atlas(6, 10)));
  CHECK(error_of(kStart + head + block("ELIT", std::string(100000, '\x91'))).message ==
        "in block \"ELIT\": values nested too deep");
  std::string many("\xdd\x00\x20\x00\x00", 5);
  many += std::string(std::size_t{1} << 21, '\x01');
  CHECK(error_of(kStart + head + block("ELIT", many)).message ==
        "in block \"ELIT\": too many values in one block");
  CHECK(error_of(kStart + head + block("ELIT", "\x91\xd4\x01\x02")).message ==
        "in block \"ELIT\": an extension type");
  const AtlasError loose = error_of(kStart + head + block("ELIT", std::string("\x90\x01", 2)));
  CHECK(loose.message == "in block \"ELIT\": 1 bytes follow the block's value");
  CHECK(loose.offset == kStart.size() + head.size() + kBlockHeaderBytes + 1);
}

TEST_CASE("a small block that inflates to a large one is bounded and must say its size") {
  const std::string head = head_of(bytes_of(sample_atlas(7, 10)));
  const std::string zeros(std::size_t{8} << 20, '\0');
  std::string packed(compressBound(zeros.size()), '\0');
  uLongf size = packed.size();
  REQUIRE(compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                   reinterpret_cast<const Bytef*>(zeros.data()), zeros.size()) == Z_OK);
  packed.resize(size);
  error_of(kStart + head + block("BLOB", packed, 1, 100));
  error_of(kStart + head + block("BLOB", packed, 1, std::uint32_t{9} << 20));
  CHECK(error_of(kStart + head + block("BLOB", packed, 1, 0xffffffff)).message.find("claims") !=
        std::string::npos);
  CHECK(error_of(kStart + head + block("ELIT", packed, 1, std::uint32_t{8} << 20))
            .message.find("deflated") != std::string::npos);
  error_of(kStart + head + block("BLOB", "\x90", 2));
}

TEST_CASE("records of wrong shape name the record and the problem") {
  const std::string head = head_of(bytes_of(sample_atlas(8, 10)));
  const auto records = [&](const std::string& body) {
    return error_of(kStart + head + block("ELIT", body)).message;
  };
  CHECK(records("\x01") == "in block \"ELIT\": an array was expected, not an integer");
  CHECK(records("\x91\x91\x01") == "in block \"ELIT\": record 0: members are missing");
  CHECK(records("\x91\x91\xa1q") ==
        "in block \"ELIT\": record 0: an integer was expected, not a text");
  // cell … samples, no measures for three axes.
  CHECK(records("\x91\x9c\x01\x01\x01\x01\x01\x01\x01\x01\x90\x90\xa1k\x80") ==
        "in block \"ELIT\": record 0: 0 measures for 3 axes");
  CHECK(records("\x91\x9c\x01\x01\x01\x01\x01\x01\x01\x01\x93\x01\x01\x01\x90\xa1k\x81\xa1s\x05") ==
        "in block \"ELIT\": record 0: there is no blob 5 yet");
}
