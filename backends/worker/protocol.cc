#include "backends/worker/protocol.h"

#include <algorithm>
#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>

namespace kernatlas {

namespace {

using nlohmann::json;

constexpr int kMaxDepth = 4;

// First pass over untrusted bytes: allocates nothing that lasts, and stops at the first level,
// count or value that no message of ours has. What passes it is at most 16 times the frame in
// memory.
class LimitChecker : public nlohmann::json_sax<json> {
 public:
  explicit LimitChecker(std::size_t bytes) : bytes_(bytes) {}
  bool null() override { return false; }
  bool boolean(bool) override { return false; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return false; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t count) override { return enter(count); }
  bool key(string_t&) override { return true; }
  bool end_object() override { return leave(); }
  bool start_array(std::size_t count) override { return enter(count); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const json::exception&) override {
    return false;
  }

 private:
  bool enter(std::size_t count) { return ++depth_ <= kMaxDepth && count <= bytes_; }
  bool leave() {
    --depth_;
    return true;
  }
  std::size_t bytes_;
  int depth_ = 0;
};

std::optional<json> parse(std::string_view bytes) {
  LimitChecker checker(bytes.size());
  constexpr auto kFormat = json::input_format_t::msgpack;
  if (!json::sax_parse(bytes.begin(), bytes.end(), &checker, kFormat, true)) return {};
  json value = json::from_msgpack(bytes.begin(), bytes.end(), true, false);
  if (!value.is_object()) return {};
  return value;
}

std::string frame(const json& value) {
  std::string out(kFrameHeaderBytes, '\0');
  json::to_msgpack(value, out);
  const std::size_t length = out.size() - kFrameHeaderBytes;
  KERNATLAS_CHECK(length <= kMaxFrameBytes);
  for (std::size_t i = 0; i < kFrameHeaderBytes; ++i) {
    out[i] = static_cast<char>(length >> (8 * i) & 0xff);
  }
  return out;
}

// Reads the members of one map; `good` turns false at the first that is missing or of another type.
class Reader {
 public:
  Reader(const json& map, std::size_t members) : map_(map) {
    good_ = map.is_object() && map.size() == members;
  }

  template <std::integral T>
  void read(const char* key, T& out) {
    if (const json* value = find(key)) good_ = to_integer(*value, out);
  }
  void read(const char* key, std::string& out) {
    const json* value = find(key);
    if (value == nullptr) return;
    good_ = value->is_string();
    if (good_) out = value->get_ref<const std::string&>();
  }
  template <typename T>
  void read(const char* key, std::vector<T>& out) {
    if (const json* value = find(key)) good_ = to_list(*value, out);
  }
  // A list whose elements are maps, each read by `each(element) → bool`.
  template <typename Each>
  void read_maps(const char* key, Each each) {
    const json* value = find(key);
    if (value == nullptr) return;
    good_ = value->is_array() && std::all_of(value->begin(), value->end(), each);
  }
  [[nodiscard]] bool good() const { return good_; }

 private:
  template <std::integral T>
  static bool to_integer(const json& value, T& out) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      out = static_cast<T>(number);
      return std::in_range<T>(number);
    }
    if (!value.is_number_integer()) return false;
    const auto number = value.get<std::int64_t>();
    out = static_cast<T>(number);
    return std::in_range<T>(number);
  }

  template <std::integral T>
  static bool to_element(const json& value, T& out) {
    return to_integer(value, out);
  }
  template <typename T>
  static bool to_element(const json& value, std::vector<T>& out) {
    return to_list(value, out);
  }
  template <typename T>
  static bool to_list(const json& value, std::vector<T>& out) {
    if (!value.is_array()) return false;
    out.resize(value.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!to_element(value[i], out[i])) return false;
    }
    return true;
  }

  const json* find(const char* key) {
    if (!good_) return nullptr;
    const auto found = map_.find(key);
    good_ = found != map_.end();
    return good_ ? &*found : nullptr;
  }

  const json& map_;
  bool good_ = true;
};

constexpr const char* kLayerStates[] = {"on", "unsupported", "off"};
constexpr const char* kReplyStates[] = {"done", "refused", "broken"};

template <typename Enum, std::size_t kCount>
bool parse_name(const std::string& text, const char* const (&names)[kCount], Enum& out) {
  const auto* found = std::find(std::begin(names), std::end(names), text);
  out = static_cast<Enum>(found - std::begin(names));
  return found != std::end(names);
}

json to_json(const LoadRequest& load) {
  return {{"op", "load"},
          {"nonce", load.nonce},
          {"arena_bytes", load.arena_bytes},
          {"images", load.images}};
}

json to_json(const BindRequest& bind) {
  json launches = json::array();
  for (const LaunchCall& launch : bind.binding.launches) {
    launches.push_back({{"symbol", launch.symbol}, {"points", launch.points}});
  }
  return {{"op", "bind"},
          {"nonce", bind.nonce},
          {"module", bind.binding.module},
          {"launches", std::move(launches)},
          {"slots", bind.binding.slots}};
}

json to_json(const RunRequest& run) {
  return {{"op", "run"}, {"nonce", run.nonce}, {"groups", run.groups}};
}

template <typename T>
std::optional<Request> finished(const Reader& reader, T message) {
  if (!reader.good()) return {};
  return Request(std::move(message));
}

std::optional<Request> read_load(const json& map) {
  LoadRequest load;
  Reader reader(map, 4);
  reader.read("nonce", load.nonce);
  reader.read("arena_bytes", load.arena_bytes);
  reader.read("images", load.images);
  return finished(reader, std::move(load));
}

std::optional<Request> read_bind(const json& map) {
  BindRequest bind;
  Reader reader(map, 5);
  reader.read("nonce", bind.nonce);
  reader.read("module", bind.binding.module);
  reader.read_maps("launches", [&bind](const json& element) {
    LaunchCall launch;
    Reader one(element, 2);
    one.read("symbol", launch.symbol);
    one.read("points", launch.points);
    bind.binding.launches.push_back(std::move(launch));
    return one.good();
  });
  reader.read("slots", bind.binding.slots);
  return finished(reader, std::move(bind));
}

std::optional<Request> read_run(const json& map) {
  RunRequest run;
  Reader reader(map, 3);
  reader.read("nonce", run.nonce);
  reader.read("groups", run.groups);
  return finished(reader, std::move(run));
}

}  // namespace

std::string encode(const Hello& hello) {
  json layers = json::array();
  for (const Layer& layer : hello.layers) {
    layers.push_back({{"name", layer.name},
                      {"state", kLayerStates[static_cast<int>(layer.state)]},
                      {"detail", layer.detail}});
  }
  return frame({{"op", "hello"}, {"protocol", hello.protocol}, {"layers", std::move(layers)}});
}

std::string encode(const Request& request) {
  return frame(std::visit([](const auto& message) { return to_json(message); }, request));
}

std::string encode(const Reply& reply) {
  return frame({{"op", "reply"},
                {"nonce", reply.nonce},
                {"state", kReplyStates[static_cast<int>(reply.state)]},
                {"text", reply.text.substr(0, kMaxReplyText)},
                {"sample_ns", reply.sample_ns}});
}

std::optional<Hello> decode_hello(std::string_view bytes) {
  const auto map = parse(bytes);
  if (!map) return {};
  Hello hello;
  std::string op;
  Reader reader(*map, 3);
  reader.read("op", op);
  reader.read("protocol", hello.protocol);
  reader.read_maps("layers", [&hello](const json& element) {
    Layer layer;
    std::string state;
    Reader one(element, 3);
    one.read("name", layer.name);
    one.read("state", state);
    one.read("detail", layer.detail);
    const bool known = one.good() && parse_name(state, kLayerStates, layer.state);
    hello.layers.push_back(std::move(layer));
    return known;
  });
  if (!reader.good() || op != "hello") return {};
  return hello;
}

std::optional<Request> decode_request(std::string_view bytes) {
  const auto map = parse(bytes);
  if (!map) return {};
  std::string op;
  Reader reader(*map, map->size());
  reader.read("op", op);
  if (op == "load") return read_load(*map);
  if (op == "bind") return read_bind(*map);
  if (op == "run") return read_run(*map);
  return {};
}

std::optional<Reply> decode_reply(std::string_view bytes) {
  const auto map = parse(bytes);
  if (!map) return {};
  Reply reply;
  std::string op;
  std::string state;
  Reader reader(*map, 5);
  reader.read("op", op);
  reader.read("nonce", reply.nonce);
  reader.read("state", state);
  reader.read("text", reply.text);
  reader.read("sample_ns", reply.sample_ns);
  const bool known = reader.good() && op == "reply" && reply.text.size() <= kMaxReplyText;
  if (!known || !parse_name(state, kReplyStates, reply.state)) return {};
  return reply;
}

std::optional<std::uint32_t> decode_header(std::string_view header, std::size_t limit) {
  if (header.size() != kFrameHeaderBytes) return {};
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < kFrameHeaderBytes; ++i) {
    length |= static_cast<std::uint32_t>(static_cast<unsigned char>(header[i])) << (8 * i);
  }
  if (length == 0 || length > limit) return {};
  return length;
}

}  // namespace kernatlas
