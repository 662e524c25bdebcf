#include "backends/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "backends/worker/protocol.h"
#include "backends/worker/spawn.h"

namespace kernatlas {

Channel::State Channel::wait(short events, std::int64_t deadline_ns) const {
  while (true) {
    const std::int64_t left_ns = deadline_ns - monotonic_ns();
    if (left_ns <= 0) return State::timed_out;
    pollfd entry{socket_.get(), events, 0};
    const auto milliseconds = std::min<std::int64_t>(left_ns / 1'000'000 + 1, 60'000);
    const int ready = poll(&entry, 1, static_cast<int>(milliseconds));
    if (ready > 0) return State::ok;
    if (ready < 0 && errno != EINTR) return State::closed;
  }
}

Channel::State Channel::send(std::string_view frame, std::span<const int> descriptors,
                             std::int64_t deadline_ns) {
  std::vector<char> control(descriptors.empty() ? 0 : CMSG_SPACE(descriptors.size_bytes()));
  while (!frame.empty()) {
    iovec piece{const_cast<char*>(frame.data()), frame.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (!control.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* part = CMSG_FIRSTHDR(&message);
      part->cmsg_level = SOL_SOCKET;
      part->cmsg_type = SCM_RIGHTS;
      part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
      std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
    }
    const ssize_t n = sendmsg(socket_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return State::closed;
    if (n < 0) {
      if (const State state = wait(POLLOUT, deadline_ns); state != State::ok) return state;
      continue;
    }
    control.clear();
    frame.remove_prefix(static_cast<std::size_t>(n));
  }
  return State::ok;
}

Channel::State Channel::receive_exactly(char* data, std::size_t size,
                                        std::int64_t deadline_ns) const {
  while (size > 0) {
    const ssize_t n = recv(socket_.get(), data, size, MSG_DONTWAIT);
    if (n == 0) return State::closed;
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno != EAGAIN) return State::closed;
    if (n < 0) {
      if (const State state = wait(POLLIN, deadline_ns); state != State::ok) return state;
      continue;
    }
    data += n;
    size -= static_cast<std::size_t>(n);
    // A worker that drips single bytes must not outlive the deadline either.
    if (size > 0 && monotonic_ns() > deadline_ns) return State::timed_out;
  }
  return State::ok;
}

Channel::State Channel::receive(std::string& out, std::size_t limit, std::int64_t deadline_ns) {
  char header[kFrameHeaderBytes];
  if (const State state = receive_exactly(header, sizeof header, deadline_ns); state != State::ok) {
    return state;
  }
  const auto length = decode_header({header, sizeof header}, limit);
  if (!length) return State::malformed;
  out.resize(*length);
  return receive_exactly(out.data(), out.size(), deadline_ns);
}

Channel::State Channel::wait_readable(std::int64_t deadline_ns) const {
  return wait(POLLIN, deadline_ns);
}

bool Channel::has_unread() const {
  char byte = 0;
  return recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

}  // namespace kernatlas
