// What a worker reads from its supervisor.
#include <cstdint>
#include <cstdlib>

#include "backends/worker/protocol.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernatlas;
  const auto request = decode_request({reinterpret_cast<const char*>(data), size});
  if (!request) return 0;
  const std::string frame = encode(*request);
  const auto again = decode_request(std::string_view(frame).substr(kFrameHeaderBytes));
  if (!again || again->index() != request->index() || encode(*again) != frame) abort();
  return 0;
}
