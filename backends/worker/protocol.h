// The worker's protocol, version 1 (docs/formats/worker-protocol.md): frames of a 4-byte
// little-endian length and that many bytes of msgpack, over a Unix socket.
//
// Both directions are decoded strictly: a frame is exactly one map with exactly the expected keys
// and types; depth and counts are checked before anything is allocated. A worker that runs a
// candidate may send anything, so a decoder that returns nothing means a forgery.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "backends/worker/layer.h"
#include "backends/worker/worker.h"

namespace kernatlas {

inline constexpr std::uint32_t kWorkerProtocol = 1;
inline constexpr std::size_t kMaxFrameBytes = 16u << 20;
inline constexpr std::size_t kFrameHeaderBytes = 4;
inline constexpr std::uint32_t kMaxImages =
    240;  // descriptors that fit one message, less the arena
inline constexpr std::size_t kMaxReplyText = 2048;

// Worker → supervisor, once, before it has seen anything of a candidate.
struct Hello {
  std::uint32_t protocol = kWorkerProtocol;
  std::vector<Layer> layers;
};

// Every request carries a fresh random number, which the reply repeats.
struct LoadRequest {
  std::uint64_t nonce = 0;
  std::uint64_t arena_bytes = 0;
  std::uint32_t images = 0;  // descriptors beside the frame: the arena, then this many images
};
struct BindRequest {
  std::uint64_t nonce = 0;
  Binding binding;
};
struct RunRequest {
  std::uint64_t nonce = 0;
  std::vector<std::vector<std::uint32_t>> groups;
};
using Request = std::variant<LoadRequest, BindRequest, RunRequest>;

struct Reply {
  enum class State { done, refused, broken };  // refused: the candidate's fault; broken: ours
  std::uint64_t nonce = 0;
  State state = State::done;
  std::string text;                     // why, unless done; at most kMaxReplyText bytes
  std::vector<std::int64_t> sample_ns;  // of a run
};

// Whole frames, header included.
[[nodiscard]] std::string encode(const Hello& hello);
[[nodiscard]] std::string encode(const Request& request);
[[nodiscard]] std::string encode(const Reply& reply);

// Of a frame's bytes without the header.
[[nodiscard]] std::optional<Hello> decode_hello(std::string_view bytes);
[[nodiscard]] std::optional<Request> decode_request(std::string_view bytes);
[[nodiscard]] std::optional<Reply> decode_reply(std::string_view bytes);

// The length a header announces; nothing when it is zero or above `limit`.
[[nodiscard]] std::optional<std::uint32_t> decode_header(std::string_view header,
                                                         std::size_t limit);

}  // namespace kernatlas
