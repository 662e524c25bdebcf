#include "backends/worker/protocol.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <sstream>

#include "tests/support/temp_dir.h"

using namespace kernatlas;

namespace {

// The body of a whole frame, after its header has been checked against it.
std::string body(const std::string& frame) {
  const auto length = decode_header(frame.substr(0, kFrameHeaderBytes), kMaxFrameBytes);
  REQUIRE(length);
  REQUIRE(*length == frame.size() - kFrameHeaderBytes);
  return frame.substr(kFrameHeaderBytes);
}

Reply sample_reply() {
  Reply reply;
  reply.nonce = 0xfedcba9876543210u;
  reply.sample_ns = {0, 1, 127, 128, 1'000'000'007, INT64_MAX, -5};
  return reply;
}

BindRequest sample_bind() {
  BindRequest bind;
  bind.nonce = 7;
  bind.binding.module = 3;
  bind.binding.launches = {{"kernatlas_launch_0", 1}, {"kernatlas_launch_1", 1ll << 40}};
  bind.binding.slots = {{0, 4096, 1ull << 45}, {}, {8}};
  return bind;
}

}  // namespace

TEST_CASE("messages come back as they went") {
  const Hello hello{
      kWorkerProtocol,
      {{"seccomp", Layer::State::on, ""}, {"landlock", Layer::State::unsupported, "x"}}};
  const auto hello_back = decode_hello(body(encode(hello)));
  REQUIRE(hello_back);
  CHECK(hello_back->protocol == kWorkerProtocol);
  REQUIRE(hello_back->layers.size() == 2);
  CHECK(hello_back->layers[1].name == "landlock");
  CHECK(hello_back->layers[1].state == Layer::State::unsupported);
  CHECK(hello_back->layers[1].detail == "x");

  const auto load = decode_request(body(encode(Request(LoadRequest{~0ull, 1ull << 40, 12}))));
  REQUIRE(load);
  CHECK(std::get<LoadRequest>(*load).nonce == ~0ull);
  CHECK(std::get<LoadRequest>(*load).arena_bytes == 1ull << 40);
  CHECK(std::get<LoadRequest>(*load).images == 12);

  const auto bind = decode_request(body(encode(Request(sample_bind()))));
  REQUIRE(bind);
  const Binding& binding = std::get<BindRequest>(*bind).binding;
  CHECK(binding.module == 3);
  CHECK(binding.launches[1].symbol == "kernatlas_launch_1");
  CHECK(binding.launches[1].points == 1ll << 40);
  CHECK(binding.slots == sample_bind().binding.slots);

  const auto run = decode_request(body(encode(Request(RunRequest{1, {{0, 1}, {}, {70000}}}))));
  REQUIRE(run);
  CHECK(std::get<RunRequest>(*run).groups ==
        std::vector<std::vector<std::uint32_t>>{{0, 1}, {}, {70000}});

  const auto reply = decode_reply(body(encode(sample_reply())));
  REQUIRE(reply);
  CHECK(reply->nonce == sample_reply().nonce);
  CHECK(reply->sample_ns == sample_reply().sample_ns);
}

TEST_CASE("the examples of docs/formats/worker-protocol.md are what is sent") {
  std::istringstream page(
      testing::read_file(testing::source_dir() / "docs/formats/worker-protocol.md"));
  std::string line;
  int examples = 0;
  while (std::getline(page, line)) {
    if (!line.starts_with("```hex ")) continue;
    const std::string name = line.substr(7);
    CAPTURE(name);
    std::string frame;
    while (std::getline(page, line) && line != "```") {
      std::istringstream numbers(line);
      for (int byte = 0; numbers >> std::hex >> byte;) frame += static_cast<char>(byte);
    }
    ++examples;
    const std::string bytes = body(frame);
    if (name == "hello") {
      REQUIRE(decode_hello(bytes));
      CHECK(encode(*decode_hello(bytes)) == frame);
    } else if (name == "reply") {
      REQUIRE(decode_reply(bytes));
      CHECK(decode_reply(bytes)->sample_ns == std::vector<std::int64_t>{1500, 2900});
      CHECK(encode(*decode_reply(bytes)) == frame);
    } else {
      const auto request = decode_request(bytes);
      REQUIRE(request);
      CHECK(name == std::vector<std::string>{"load", "bind", "run"}[request->index()]);
      CHECK(encode(*request) == frame);
    }
  }
  CHECK(examples == 5);
}

TEST_CASE("a reply's text is cut to its limit") {
  Reply reply;
  reply.state = Reply::State::refused;
  reply.text = std::string(10'000, 'x');
  const auto back = decode_reply(body(encode(reply)));
  REQUIRE(back);
  CHECK(back->text.size() == kMaxReplyText);
  CHECK(back->state == Reply::State::refused);
}

TEST_CASE("one message is never taken for another") {
  const std::string reply = body(encode(sample_reply()));
  const std::string bind = body(encode(Request(sample_bind())));
  const std::string hello = body(encode(Hello{}));
  CHECK_FALSE(decode_request(reply));
  CHECK_FALSE(decode_hello(reply));
  CHECK_FALSE(decode_reply(bind));
  CHECK_FALSE(decode_reply(hello));
  CHECK_FALSE(decode_request(hello));
}

TEST_CASE("the header's length is bounded") {
  const auto header = [](std::uint32_t n) {
    std::string out(4, '\0');
    for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(n >> (8 * i));
    return out;
  };
  CHECK(decode_header(header(1), 100) == 1);
  CHECK(decode_header(header(0x010203), kMaxFrameBytes) == 0x010203);
  CHECK(decode_header(header(100), 100) == 100);
  CHECK_FALSE(decode_header(header(101), 100));
  CHECK_FALSE(decode_header(header(0), 100));
  CHECK_FALSE(decode_header(header(0xffffffff), kMaxFrameBytes));
  CHECK_FALSE(decode_header("abc", 100));
}

TEST_CASE("hostile bytes are refused without effort") {
  const std::string nothing;
  const std::string nil = "\xc0";
  const std::string deep(1u << 20, '\x91');  // arrays in arrays in arrays
  const std::string deep_maps = [] {
    std::string out;
    for (int i = 0; i < 100'000; ++i) out += "\x81\xa1k";
    return out;
  }();
  const std::string many = "\xdd\xff\xff\xff\xff";  // an array of four billion
  const std::string long_text(
      "\xdb\xff\xff\xff\xff"
      "abc",
      8);  // a string of four gigabytes
  const std::string map_of_many("\xdf\x7f\xff\xff\xff\xa2op", 8);
  const std::string with_float = "\x81\xa2op\xcb" + std::string(8, '\0');
  const std::string with_binary("\x81\xa2op\xc4\x01x", 7);
  for (const std::string& bytes :
       {nothing, nil, deep, deep_maps, many, long_text, map_of_many, with_float, with_binary}) {
    CAPTURE(bytes.substr(0, 8));
    CHECK_FALSE(decode_reply(bytes));
    CHECK_FALSE(decode_request(bytes));
    CHECK_FALSE(decode_hello(bytes));
  }
}

TEST_CASE("every field is needed, and none beyond") {
  std::string text = body(encode(sample_reply()));
  REQUIRE(decode_reply(text));
  CHECK_FALSE(decode_reply(text + '\x01'));  // trailing bytes
  CHECK_FALSE(decode_reply(text.substr(0, text.size() - 1)));
  std::string renamed = text;
  renamed.replace(renamed.find("nonce"), 5, "nonsense", 5);
  CHECK_FALSE(decode_reply(renamed));
  std::string grown = text;
  grown[0] = '\x86';
  CHECK_FALSE(decode_reply(grown + "\xa1z\x01"));
  std::string state = text;
  state.replace(state.find("done"), 4, "gone");
  CHECK_FALSE(decode_reply(state));
}

TEST_CASE("no damaged message confuses the decoders") {
  const std::uint64_t seed = 20261204;
  CAPTURE(seed);
  std::mt19937_64 rng(seed);
  const std::string originals[] = {body(encode(sample_reply())),
                                   body(encode(Request(sample_bind()))),
                                   body(encode(Request(RunRequest{9, {{1, 2, 3}}})))};
  int accepted = 0;
  for (int i = 0; i < 30'000; ++i) {
    std::string bytes = originals[rng() % 3];
    for (std::uint64_t k = rng() % 3 + 1; k > 0; --k) {
      bytes[rng() % bytes.size()] = static_cast<char>(rng());
    }
    if (rng() % 4 == 0) bytes.resize(rng() % bytes.size());
    const auto request = decode_request(bytes);
    const auto reply = decode_reply(bytes);
    if (request) CHECK(decode_request(body(encode(*request))));
    if (reply) CHECK(decode_reply(body(encode(*reply))));
    accepted += request || reply ? 1 : 0;
  }
  CHECK(accepted > 100);     // a changed number is still a message
  CHECK(accepted < 20'000);  // most changes are not
}
