#include "backends/cpu/object_cache.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>
#include <vector>

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMagic = "katlobj1";
constexpr std::string_view kEnding = ".object";
constexpr std::string_view kTemporary = "tmp-";
// After a crash; no writer takes that long.
constexpr auto kStaleAfter = std::chrono::hours(1);

void append_number(std::string& out, std::uint64_t value) {
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>((value >> shift) & 0xff);
}

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)])}
             << (8 * i);
  }
  return value;
}

// magic, checksum of the rest, size of the image, image, log.
std::string encode(const Hash128& key, const CachedObject& object) {
  std::string body;
  body.reserve(object.image.size() + object.log.size() + 8);
  append_number(body, object.image.size());
  body += object.image;
  body += object.log;
  const Hash128 checksum = combine(key, hash128(body));
  std::string out(kMagic);
  append_number(out, checksum.high);
  append_number(out, checksum.low);
  return out + body;
}

std::optional<CachedObject> decode(const Hash128& key, std::string_view bytes) {
  constexpr std::size_t kHeader = 8 + 16;
  if (bytes.size() < kHeader + 8 || !bytes.starts_with(kMagic)) return std::nullopt;
  const std::string_view body = bytes.substr(kHeader);
  const Hash128 checksum = combine(key, hash128(body));
  if (number_at(bytes, 8) != checksum.high || number_at(bytes, 16) != checksum.low) {
    return std::nullopt;
  }
  const std::uint64_t image_size = number_at(body, 0);
  if (image_size > body.size() - 8) return std::nullopt;
  return CachedObject{std::string(body.substr(8, image_size)),
                      std::string(body.substr(8 + image_size))};
}

std::optional<std::string> read_whole(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  std::string content(std::istreambuf_iterator<char>(in), {});
  if (in.bad()) return std::nullopt;
  return content;
}

struct Entry {
  fs::path file;
  fs::file_time_type time;
  std::size_t bytes;
};

// Whatever vanishes meanwhile, because another process evicts as well, is simply not listed.
std::vector<Entry> list_entries(const fs::path& folder) {
  std::vector<Entry> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code gone;
    const auto time = it->last_write_time(gone);
    if (gone) continue;
    if (name.starts_with(kTemporary)) {
      if (fs::file_time_type::clock::now() - time > kStaleAfter) fs::remove(it->path(), gone);
      continue;
    }
    if (!name.ends_with(kEnding)) continue;
    const std::uintmax_t bytes = it->file_size(gone);
    if (!gone) entries.push_back({it->path(), time, static_cast<std::size_t>(bytes)});
  }
  return entries;
}

}  // namespace

std::string unique_name(std::string_view prefix) {
  static std::atomic<std::uint64_t> counter{0};
  static const std::uint32_t salt = std::random_device{}();
  return std::string(prefix) + std::to_string(::getpid()) + "-" +
         std::to_string(counter.fetch_add(1)) + "-" + std::to_string(salt);
}

bool write_atomically(const fs::path& file, std::string_view content) {
  const fs::path temporary = file.parent_path() / unique_name(kTemporary);
  std::error_code error;
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(content.data(), static_cast<std::streamsize>(content.size()));
    out.close();
    if (!out) {
      fs::remove(temporary, error);
      return false;
    }
  }
  fs::rename(temporary, file, error);
  if (!error) return true;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  return false;
}

ObjectCache::ObjectCache(fs::path folder, std::size_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {
  if (folder_.empty()) return;
  std::error_code ignored;
  fs::create_directories(folder_, ignored);
  known_bytes_ = bytes();
}

fs::path ObjectCache::file_of(const Hash128& key) const {
  return folder_ / (key.hex() + std::string(kEnding));
}

std::optional<CachedObject> ObjectCache::get(const Hash128& key) {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = file_of(key);
  const auto content = read_whole(file);
  if (!content) return std::nullopt;
  auto object = decode(key, *content);
  std::error_code ignored;
  if (object) fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return object;
}

void ObjectCache::put(const Hash128& key, const CachedObject& object) {
  if (folder_.empty()) return;
  const std::string content = encode(key, object);
  if (content.size() > max_bytes_ || !write_atomically(file_of(key), content)) return;
  const std::lock_guard lock(mutex_);
  known_bytes_ += content.size();
  if (known_bytes_ > max_bytes_) evict();
}

std::size_t ObjectCache::bytes() const {
  std::size_t sum = 0;
  for (const Entry& entry : list_entries(folder_)) sum += entry.bytes;
  return sum;
}

// Down to nine tenths, so that the next eviction is not at the next put.
void ObjectCache::evict() {
  std::vector<Entry> entries = list_entries(folder_);
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.time < b.time; });
  std::size_t sum = 0;
  for (const Entry& entry : entries) sum += entry.bytes;
  const std::size_t goal = max_bytes_ - max_bytes_ / 10;
  for (const Entry& entry : entries) {
    if (sum <= goal) break;
    std::error_code ignored;
    fs::remove(entry.file, ignored);
    sum -= entry.bytes;
  }
  known_bytes_ = sum;
}

}  // namespace kernatlas
