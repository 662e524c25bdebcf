#include "backends/worker/program/program_socket.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "backends/worker/exec_report.h"
#include "backends/worker/protocol.h"

namespace kernatlas {

namespace {

void take_descriptors(msghdr& message, std::vector<int>& out) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const std::size_t before = out.size();
    out.resize(before + count);
    std::memcpy(out.data() + before, CMSG_DATA(part), count * sizeof(int));
  }
}

// Exactly `size` bytes; descriptors travel with the first of a frame.
bool receive_exactly(char* data, std::size_t size, std::vector<int>* descriptors) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * (kMaxImages + 1))];
  while (size > 0) {
    iovec piece{data, size};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = descriptors != nullptr ? control : nullptr;
    message.msg_controllen = descriptors != nullptr ? sizeof control : 0;
    const ssize_t n = recvmsg(kSocketDescriptor, &message, MSG_CMSG_CLOEXEC);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    if (descriptors != nullptr) take_descriptors(message, *descriptors);
    data += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

bool receive_frame(std::string& out, std::vector<int>& descriptors) {
  char header[kFrameHeaderBytes];
  if (!receive_exactly(header, sizeof header, &descriptors)) return false;
  const auto length = decode_header({header, sizeof header}, kMaxFrameBytes);
  if (!length) return false;
  out.resize(*length);
  return receive_exactly(out.data(), out.size(), nullptr);
}

bool send_frame(std::string_view frame) {
  while (!frame.empty()) {
    iovec piece{const_cast<char*>(frame.data()), frame.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    const ssize_t n = sendmsg(kSocketDescriptor, &message, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    frame.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace kernatlas
