#include "backends/worker/channel.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <thread>

#include "backends/worker/memory_file.h"
#include "backends/worker/protocol.h"
#include "backends/worker/spawn.h"

using namespace kernatlas;

namespace {

struct Ends {
  Channel channel;
  UniqueFd other;
};

Ends make_ends() {
  int ends[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
  return {Channel(UniqueFd(ends[0])), UniqueFd(ends[1])};
}

std::int64_t in_ms(std::int64_t ms) {
  return monotonic_ns() + ms * 1'000'000;
}

void feed(const UniqueFd& fd, std::string_view bytes) {
  REQUIRE(write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
}

}  // namespace

TEST_CASE("a frame arrives whole, whatever pieces it came in") {
  Ends ends = make_ends();
  const std::string frame("\x05\x00\x00\x00hello", 9);
  std::thread writer([&] {
    for (const char c : frame) feed(ends.other, {&c, 1});
  });
  std::string out;
  CHECK(ends.channel.receive(out, 100, in_ms(60'000)) == Channel::State::ok);
  CHECK(out == "hello");
  writer.join();
  CHECK_FALSE(ends.channel.has_unread());
  feed(ends.other, "x");
  CHECK(ends.channel.has_unread());
}

TEST_CASE("too long, silent, dripping and closed are told apart") {
  std::string out;
  Ends too_long = make_ends();
  feed(too_long.other, std::string_view("\x65\x00\x00\x00", 4));
  CHECK(too_long.channel.receive(out, 100, in_ms(60'000)) == Channel::State::malformed);
  Ends silent = make_ends();
  CHECK(silent.channel.receive(out, 100, in_ms(20)) == Channel::State::timed_out);
  Ends closed = make_ends();
  feed(closed.other, std::string_view("\x05\x00\x00\x00he", 6));
  closed.other.reset();
  CHECK(closed.channel.receive(out, 100, in_ms(60'000)) == Channel::State::closed);
  CHECK(closed.channel.send("frame", {}, in_ms(60'000)) == Channel::State::closed);

  Ends dripping = make_ends();
  feed(dripping.other, std::string_view("\x64\x00\x00\x00", 4));
  std::atomic<bool> stop{false};
  std::thread dripper([&] {
    while (!stop) {
      if (send(dripping.other.get(), "x", 1, MSG_NOSIGNAL) != 1) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  CHECK(dripping.channel.receive(out, 100, in_ms(60)) == Channel::State::timed_out);
  stop = true;
  dripper.join();
}

TEST_CASE("a frame that nobody reads does not block beyond the deadline") {
  Ends ends = make_ends();
  const std::string frame(8u << 20, 'x');
  CHECK(ends.channel.send(frame, {}, in_ms(30)) == Channel::State::timed_out);
}

TEST_CASE("a memory file keeps its size, a sealed one its content") {
  const UniqueFd file = make_memory_file("test", 8192);
  REQUIRE(file.valid());
  CHECK(ftruncate(file.get(), 100) != 0);
  CHECK(ftruncate(file.get(), 100'000) != 0);
  const Mapping mapping = map_shared(file.get(), 8192);
  REQUIRE(mapping.valid());
  mapping.data()[8191] = std::byte{7};
  const UniqueFd sealed = make_sealed_file("test", "content");
  REQUIRE(sealed.valid());
  CHECK(pwrite(sealed.get(), "X", 1, 0) != 1);
  char buffer[16];
  CHECK(pread(sealed.get(), buffer, sizeof buffer, 0) == 7);
  CHECK((fcntl(sealed.get(), F_GETFD) & FD_CLOEXEC) != 0);
}

TEST_CASE("a spawned process gets exactly the descriptors it is given") {
  int ends[2];
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const UniqueFd extra(open("/dev/null", O_RDONLY));  // not close-on-exec, on purpose
  const std::string script =
      "for i in 0 1 2 3 4 5 6 7 8 9; do [ -e /proc/$$/fd/$i ] && printf $i >&3; done; exit 5";
  const auto pid = spawn({.program = "/bin/sh",
                          .arguments = {"-c", script},
                          .environment = {},
                          .descriptors = {-1, -1, extra.get(), writing.get()}});
  REQUIRE(pid);
  writing.reset();
  Ending ending;
  REQUIRE(wait_for_end(*pid, std::chrono::milliseconds(60'000), ending));
  CHECK(WEXITSTATUS(ending.status) == 5);
  char out[16] = {};
  CHECK(read(reading.get(), out, sizeof out) == 4);
  CHECK(std::string(out) == "0123");
  const auto missing =
      spawn({.program = "/nonexistent", .arguments = {}, .environment = {}, .descriptors = {}});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().message.find("/nonexistent") != std::string::npos);
}
