// Channel: the supervisor's end of a worker's socket. Whole frames, bounded sizes, deadlines on the
// monotonic clock; never blocks beyond them, whatever the other side does.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backends/worker/unique_fd.h"

namespace kernatlas {

class Channel {
 public:
  enum class State { ok, closed, timed_out, malformed };

  Channel() = default;
  explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

  // The descriptors travel with the frame's first byte; the caller keeps its own.
  [[nodiscard]] State send(std::string_view frame, std::span<const int> descriptors,
                           std::int64_t deadline_ns);
  // One frame without its header. Longer than `limit`: malformed.
  [[nodiscard]] State receive(std::string& out, std::size_t limit, std::int64_t deadline_ns);
  // Until something can be read, or the peer is gone: ok.
  [[nodiscard]] State wait_readable(std::int64_t deadline_ns) const;
  // Whether bytes wait that nobody asked for.
  [[nodiscard]] bool has_unread() const;
  void close() { socket_.reset(); }

 private:
  [[nodiscard]] State wait(short events, std::int64_t deadline_ns) const;
  [[nodiscard]] State receive_exactly(char* data, std::size_t size, std::int64_t deadline_ns) const;
  UniqueFd socket_;
};

}  // namespace kernatlas
