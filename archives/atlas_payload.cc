#include "archives/atlas_payload.h"

#include "archives/atlas_pack.h"
#include "archives/atlas_values.h"

namespace kernatlas::archives {
namespace {

// Calls `inline_value(name, bytes)` or `blob(name, number)` for each value, in order. False when
// the bytes are no payload.
template <typename Inline, typename Blob>
bool walk(const Payload& payload, const Inline& inline_value, const Blob& blob) {
  thread_local Values values;
  if (payload.bytes.empty()) return true;
  if (!values.parse(payload.bytes)) return false;
  const std::size_t count = values.map();
  for (std::size_t i = 0; i < count && values.ok(); ++i) {
    const std::string_view name = values.text();
    if (values.peek() == Values::Kind::integer) {
      blob(name, values.integer());
      continue;
    }
    const std::string_view text = values.text_or_bytes();
    if (values.ok()) inline_value(name, text);
  }
  return values.ok();
}

}  // namespace

std::uint64_t BlobTable::add(std::string_view text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  texts_.push_back(std::make_shared<const std::string>(text));
  numbers_.emplace(*texts_.back(), texts_.size() - 1);
  return texts_.size() - 1;
}

Payload pack(const PayloadMap& values, BlobTable& blobs) {
  Payload payload;
  if (values.empty()) return payload;
  Packer packer(payload.bytes);
  packer.map(values.size());
  for (const auto& [name, text] : values) {
    packer.text(name);
    if (text.size() > kInlineBytes) {
      packer.integer(blobs.add(text));
    } else {
      packer.bytes(text);
    }
  }
  return payload;
}

PayloadMap unpack(const Payload& payload, const BlobTable& blobs) {
  PayloadMap map;
  (void)walk(
      payload,
      [&](std::string_view name, std::string_view text) { map.emplace(name, std::string(text)); },
      [&](std::string_view name, std::uint64_t number) { map.emplace(name, blobs.at(number)); });
  return map;
}

std::optional<std::string> value(const Payload& payload, const BlobTable& blobs,
                                 std::string_view name) {
  std::optional<std::string> found;
  (void)walk(
      payload,
      [&](std::string_view each, std::string_view text) {
        if (each == name) found = std::string(text);
      },
      [&](std::string_view each, std::uint64_t number) {
        if (each == name) found = blobs.at(number);
      });
  return found;
}

Payload renumber(const Payload& payload,
                 const std::function<std::uint64_t(std::uint64_t)>& number) {
  bool same = true;
  std::size_t count = 0;
  const bool sound = walk(
      payload, [&](std::string_view, std::string_view) { ++count; },
      [&](std::string_view, std::uint64_t old) {
        ++count;
        same = number(old) == old && same;
      });
  if (!sound) return {};
  if (same) return payload;
  Payload result;
  Packer packer(result.bytes);
  packer.map(count);
  (void)walk(
      payload,
      [&](std::string_view name, std::string_view text) {
        packer.text(name);
        packer.bytes(text);
      },
      [&](std::string_view name, std::uint64_t old) {
        packer.text(name);
        packer.integer(number(old));
      });
  return result;
}

Payload move_to(BlobTable& to, const Payload& payload, const BlobTable& from) {
  return renumber(payload, [&](std::uint64_t number) { return to.add(from.at(number)); });
}

}  // namespace kernatlas::archives
