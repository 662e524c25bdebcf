// What a worker that runs a candidate may send: replies, and the hello before them.
#include <cstdint>
#include <cstdlib>

#include "backends/worker/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernatlas;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto reply = decode_reply(bytes)) {
    // What was understood survives being said again.
    const auto again = decode_reply(encode(*reply).substr(kFrameHeaderBytes));
    if (!again || again->nonce != reply->nonce || again->sample_ns != reply->sample_ns) abort();
    if (again->text != reply->text || again->state != reply->state) abort();
  }
  if (const auto hello = decode_hello(bytes)) {
    const auto again = decode_hello(encode(*hello).substr(kFrameHeaderBytes));
    if (!again || again->layers.size() != hello->layers.size()) abort();
  }
  if (const auto length = decode_header(bytes.substr(0, kFrameHeaderBytes), kMaxFrameBytes)) {
    if (*length == 0 || *length > kMaxFrameBytes) abort();
  }
  return 0;
}
