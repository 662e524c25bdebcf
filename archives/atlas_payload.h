// Payloads: what the caller wants kept with an elite (a kernel's source, its parents, …), opaque to
// archives. A payload is a map from names to bytes; long values are blobs, stored once per atlas.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kernatlas::archives {

using PayloadMap = std::map<std::string, std::string, std::less<>>;

// Values longer than this become blobs.
inline constexpr std::size_t kInlineBytes = 96;

// Texts stored once, numbered from 0 in the order in which they came. Copies share the texts.
class BlobTable {
 public:
  // Its number; the old one when the same text is there already. Expected O(length).
  std::uint64_t add(std::string_view text);
  [[nodiscard]] const std::string& at(std::uint64_t number) const { return *texts_.at(number); }
  [[nodiscard]] std::size_t size() const { return texts_.size(); }

 private:
  std::vector<std::shared_ptr<const std::string>> texts_;
  std::unordered_map<std::string_view, std::uint64_t> numbers_;  // keys live in texts_
};

// A payload as it lies in a record: packed small, because archives have millions of them. Empty
// bytes are an empty map. The numbers in it belong to one BlobTable.
struct Payload {
  std::string bytes;
  friend bool operator==(const Payload&, const Payload&) = default;
};

[[nodiscard]] Payload pack(const PayloadMap& values, BlobTable& blobs);
[[nodiscard]] PayloadMap unpack(const Payload& payload, const BlobTable& blobs);
// One value, without unpacking the rest.
[[nodiscard]] std::optional<std::string> value(const Payload& payload, const BlobTable& blobs,
                                               std::string_view name);
// The same payload with each blob number replaced; `number` may be asked twice for each. What is no
// payload becomes an empty one.
[[nodiscard]] Payload renumber(const Payload& payload,
                               const std::function<std::uint64_t(std::uint64_t)>& number);
// The same payload for another table.
[[nodiscard]] Payload move_to(BlobTable& to, const Payload& payload, const BlobTable& from);

}  // namespace kernatlas::archives
