// The outer layer of an atlas file: a signature, then blocks, each with its own checksum.
// docs/formats/atlas.md specifies every byte.
//
// A block is read whole or not at all, so neither side ever holds more than kMaxBlockBytes of it,
// whatever lengths a file claims.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "archives/atlas_error.h"

namespace kernatlas::archives {

inline constexpr std::string_view kAtlasSignature = "\x89katlas";
inline constexpr std::uint8_t kAtlasMajor = 1;
inline constexpr std::uint64_t kAtlasMinor = 0;
inline constexpr std::size_t kMaxBlockBytes = std::size_t{16} << 20;
inline constexpr std::size_t kBlockHeaderBytes = 20;

// Where bytes come from and go to; implemented by files and by texts in memory.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Up to `size` bytes; fewer only at the end.
  [[nodiscard]] virtual Expected<std::size_t> read(char* to, std::size_t size) = 0;
};
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  [[nodiscard]] virtual Expected<void> write(std::string_view bytes) = 0;
};

// A text in memory, which outlives it.
class TextSource final : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : rest_(text) {}
  [[nodiscard]] Expected<std::size_t> read(char* to, std::size_t size) override;

 private:
  std::string_view rest_;
};
class TextSink final : public ByteSink {
 public:
  [[nodiscard]] Expected<void> write(std::string_view bytes) override {
    text_ += bytes;
    return {};
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct Block {
  std::string tag;           // four ASCII characters
  std::string_view content;  // inflated; valid until the next call
  std::uint64_t offset = 0;  // of the block in the file
  bool deflated = false;
  // A reader that does not know the tag may go on: its first letter is in lower case.
  [[nodiscard]] bool optional() const { return tag[0] >= 'a' && tag[0] <= 'z'; }
};

// Not thread-safe. After an error every call gives that error again.
class BlockReader {
 public:
  explicit BlockReader(ByteSource& source) : source_(source) {}
  // The signature: not an atlas file, or one of a newer major version.
  [[nodiscard]] Expected<void> begin();
  // The next block, nothing at the end of the file.
  [[nodiscard]] Expected<std::optional<Block>> next();
  [[nodiscard]] std::uint64_t offset() const { return offset_; }

 private:
  struct Header {
    std::string tag;
    std::uint32_t encoding = 0, stored = 0, raw = 0, crc = 0;
  };
  [[nodiscard]] Expected<void> read_content(const Header& header, std::string_view header_bytes);
  [[nodiscard]] Expected<void> fill(std::string& buffer, std::size_t size, const char* what);
  [[nodiscard]] AtlasError error(std::string message, std::string expected) const;

  ByteSource& source_;
  std::uint64_t offset_ = 0;  // of what comes next
  std::uint64_t block_ = 0;   // of the block at hand
  std::string stored_;
  std::string raw_;
};

enum class Packing { plain, deflate };

class BlockWriter {
 public:
  explicit BlockWriter(ByteSink& sink) : sink_(sink) {}
  [[nodiscard]] Expected<void> begin();
  // `content` is at most kMaxBlockBytes. Deflated only where that makes it shorter.
  [[nodiscard]] Expected<void> write(std::string_view tag, std::string_view content,
                                     Packing packing = Packing::plain);
  [[nodiscard]] std::uint64_t blocks() const { return blocks_; }

 private:
  ByteSink& sink_;
  std::uint64_t blocks_ = 0;
  std::string packed_;
};

}  // namespace kernatlas::archives
