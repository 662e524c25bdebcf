#include "backends/recorded/gzip.h"

#include <fmt/core.h>
#include <zlib.h>

#include <algorithm>
#include <memory>

namespace kernatlas {

bool is_gzip(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b';
}

namespace {

struct Inflater {
  z_stream stream{};
  bool ready = false;
  Inflater() { ready = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK; }
  ~Inflater() {
    if (ready) inflateEnd(&stream);
  }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

Error damaged(const std::string& file, const char* why) {
  return {.message = fmt::format("the compressed table is damaged: {}", why),
          .file = file,
          .expected = "one whole gzip stream",
          .hint = "fetch or write the file again"};
}

}  // namespace

Result<std::string> gunzip(std::string_view bytes, std::size_t limit, const std::string& file) {
  Inflater inflater;
  if (!inflater.ready)
    return fail({.code = ErrorCode::internal, .message = "zlib would not start"});
  z_stream& stream = inflater.stream;
  // zlib takes a non-const pointer but never writes through it.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    const std::size_t filled = text.size();
    if (filled >= limit) {
      return fail({.message = "the table is too long when decompressed",
                   .file = file,
                   .expected = fmt::format("at most {} MiB", limit >> 20)});
    }
    const std::size_t step =
        std::min<std::size_t>(std::max<std::size_t>(filled, 1 << 16), limit - filled);
    text.resize(filled + step);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + filled);
    stream.avail_out = static_cast<uInt>(step);
    status = inflate(&stream, Z_NO_FLUSH);
    text.resize(filled + step - stream.avail_out);
    if (status != Z_OK && status != Z_STREAM_END) {
      return fail(damaged(file, status == Z_BUF_ERROR ? "it ends too early" : "bad data"));
    }
  }
  if (stream.avail_in != 0) return fail(damaged(file, "bytes follow its end"));
  return text;
}

}  // namespace kernatlas
