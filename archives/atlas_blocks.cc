#include "archives/atlas_blocks.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace kernatlas::archives {
namespace {

constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kDeflate = 1;
constexpr std::size_t kReadStep = std::size_t{1} << 20;
constexpr const char* kDamaged = "take another copy: the file was cut off or changed on its way";

std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

void append_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(value >> shift);
}

std::uint32_t checksum(std::string_view header, std::string_view stored) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<const Bytef*>(text.data());
  };
  uLong crc = crc32_z(0, bytes(header), header.size());
  crc = crc32_z(crc, bytes(stored), stored.size());
  return static_cast<std::uint32_t>(crc);
}

bool is_tag(std::string_view tag) {
  return std::all_of(tag.begin(), tag.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

Expected<std::size_t> TextSource::read(char* to, std::size_t size) {
  const std::size_t count = std::min(size, rest_.size());
  std::memcpy(to, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

AtlasError BlockReader::error(std::string message, std::string expected) const {
  return {.message = std::move(message),
          .offset = block_,
          .expected = std::move(expected),
          .hint = kDamaged};
}

// In steps: a length that a cut-off file only claims costs no memory.
Expected<void> BlockReader::fill(std::string& buffer, std::size_t size, const char* what) {
  buffer.clear();
  while (buffer.size() < size) {
    const std::size_t before = buffer.size();
    buffer.resize(before + std::min(kReadStep, size - before));
    const auto count = source_.read(buffer.data() + before, buffer.size() - before);
    if (!count) return fail(count.error());
    offset_ += *count;
    if (*count < buffer.size() - before) {
      const std::size_t have = before + *count;
      buffer.resize(have);
      return fail(error(fmt::format("the file ends within {}", what),
                        fmt::format("{} more bytes", size - have)));
    }
  }
  return {};
}

Expected<void> BlockReader::begin() {
  const std::size_t size = kAtlasSignature.size() + 1;
  const auto filled = fill(stored_, size, "its signature");
  if (!stored_.starts_with(kAtlasSignature.substr(0, std::max<std::size_t>(stored_.size(), 1)))) {
    return fail({.message = "this is no atlas file",
                 .offset = 0,
                 .expected = "the signature 89 6b 61 74 6c 61 73",
                 .hint = "kernatlas export RUN --to atlas writes one"});
  }
  if (!filled) return filled;
  const auto major = static_cast<std::uint8_t>(stored_.back());
  if (major > kAtlasMajor || major == 0) {
    return fail({.message = fmt::format("the file has format version {}", major),
                 .offset = size - 1,
                 .expected = fmt::format("at most {}", kAtlasMajor),
                 .hint = "use the version of the program that wrote it, or a later one"});
  }
  return {};
}

Expected<std::optional<Block>> BlockReader::next() {
  block_ = offset_;
  char first = 0;
  const auto more = source_.read(&first, 1);
  if (!more) return fail(more.error());
  if (*more == 0) return std::nullopt;
  ++offset_;
  std::string rest;
  if (auto filled = fill(rest, kBlockHeaderBytes - 1, "the header of a block"); !filled) {
    return fail(filled.error());
  }
  const std::string bytes = first + rest;
  const Header header{.tag = bytes.substr(0, 4),
                      .encoding = number_at(bytes, 4),
                      .stored = number_at(bytes, 8),
                      .raw = number_at(bytes, 12),
                      .crc = number_at(bytes, 16)};
  if (auto read = read_content(header, std::string_view(bytes).substr(0, 16)); !read) {
    return fail(read.error());
  }
  return Block{.tag = header.tag,
               .content = header.encoding == kPlain ? stored_ : raw_,
               .offset = block_,
               .deflated = header.encoding == kDeflate};
}

Expected<void> BlockReader::read_content(const Header& header, std::string_view header_bytes) {
  if (!is_tag(header.tag)) return fail(error("no block begins here", "a tag of four letters"));
  if (header.stored > kMaxBlockBytes || header.raw > kMaxBlockBytes) {
    return fail(error(fmt::format("block \"{}\" claims {} bytes", header.tag,
                                  std::max(header.stored, header.raw)),
                      fmt::format("at most {}", kMaxBlockBytes)));
  }
  if (header.encoding > kDeflate) {
    return fail(error(fmt::format("block \"{}\" has encoding {}", header.tag, header.encoding),
                      "0 (plain) or 1 (deflate)"));
  }
  if (header.encoding == kPlain && header.raw != header.stored) {
    return fail(error(fmt::format("block \"{}\" has two lengths, {} and {}", header.tag,
                                  header.stored, header.raw),
                      "the same for a plain block"));
  }
  if (auto filled = fill(stored_, header.stored, "a block"); !filled) return filled;
  const std::uint32_t crc = checksum(header_bytes, stored_);
  if (crc != header.crc) {
    return fail(error(fmt::format("the checksum of block \"{}\" is {:08x}", header.tag, crc),
                      fmt::format("{:08x}", header.crc)));
  }
  if (header.encoding == kPlain) return {};
  raw_.resize(header.raw);
  uLongf raw_size = header.raw;
  uLong stored_size = header.stored;
  const int code = uncompress2(reinterpret_cast<Bytef*>(raw_.data()), &raw_size,
                               reinterpret_cast<const Bytef*>(stored_.data()), &stored_size);
  if (code != Z_OK || raw_size != header.raw || stored_size != header.stored) {
    return fail(error(fmt::format("block \"{}\" does not inflate", header.tag),
                      fmt::format("a zlib stream of {} bytes", header.raw)));
  }
  return {};
}

Expected<void> BlockWriter::begin() {
  return sink_.write(std::string(kAtlasSignature) + static_cast<char>(kAtlasMajor));
}

Expected<void> BlockWriter::write(std::string_view tag, std::string_view content, Packing packing) {
  if (tag.size() != 4 || content.size() > kMaxBlockBytes) {
    return fail({.message = fmt::format("block \"{}\" would have {} bytes", tag, content.size()),
                 .expected = fmt::format("at most {}", kMaxBlockBytes)});
  }
  std::string_view stored = content;
  if (packing == Packing::deflate) {
    packed_.resize(compressBound(content.size()));
    uLongf size = packed_.size();
    const int code = compress2(reinterpret_cast<Bytef*>(packed_.data()), &size,
                               reinterpret_cast<const Bytef*>(content.data()), content.size(),
                               Z_DEFAULT_COMPRESSION);
    if (code == Z_OK && size < content.size()) stored = std::string_view(packed_).substr(0, size);
  }
  std::string header(tag);
  append_number(header, stored.size() == content.size() ? kPlain : kDeflate);
  append_number(header, static_cast<std::uint32_t>(stored.size()));
  append_number(header, static_cast<std::uint32_t>(content.size()));
  append_number(header, checksum(header, stored));
  ++blocks_;
  if (auto written = sink_.write(header); !written) return written;
  return sink_.write(stored);
}

}  // namespace kernatlas::archives
