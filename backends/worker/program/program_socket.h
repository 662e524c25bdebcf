// The worker's end of the socket: blocking, whole frames.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernatlas {

// Reads one frame (without its header) and the descriptors that came with it, which the caller
// owns. False at the end of the stream or when the frame makes no sense.
[[nodiscard]] bool receive_frame(std::string& out, std::vector<int>& descriptors);
[[nodiscard]] bool send_frame(std::string_view frame);

}  // namespace kernatlas
