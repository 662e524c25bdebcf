#include "engine/store/row_codec.h"

#include <zstd.h>

#include <new>

namespace kernatlas::store {
namespace {

constexpr std::uint8_t kBodyVersion = 1;
constexpr std::uint8_t kPlain = 0;
constexpr std::uint8_t kZstd = 1;
// Below this zstd's frame costs more than it saves.
constexpr std::size_t kCompressFrom = 96;
constexpr int kCompressionLevel = 3;
// Features look names up one by one; more than this is not a kernel but an attack.
constexpr std::size_t kMostFeatures = 4096;

constexpr std::uint8_t kLastStage = static_cast<std::uint8_t>(Stage::done);
constexpr std::uint8_t kLastFinding = static_cast<std::uint8_t>(Comparison::Finding::failed);

void put_word(std::string_view text, WordEncoder& words, ByteWriter& out) {
  const std::uint32_t number = words.word(text);
  out.unsigned_number(number);
  if (number == 0) out.text(text);
}

std::string get_word(ByteReader& in, const WordDecoder& words) {
  const std::uint32_t number = in.number32();
  if (number == 0) return std::string(in.text());
  auto found = words.word(number);
  if (!found) {
    in.fail();
    return {};
  }
  return *std::move(found);
}

void put_time(const WorkloadTime& time, ByteWriter& out) {
  out.unsigned_number(time.workload);
  out.unsigned_number((std::uint64_t{time.samples} << 1) | (time.cut ? 1u : 0u));
  out.number(time.median_ns);
  out.number(time.median_interval_ns.low);
  out.number(time.median_interval_ns.high);
  out.number(time.iqr_ns);
  out.number(time.baseline_ns);
}

WorkloadTime get_time(ByteReader& in) {
  WorkloadTime time;
  time.workload = in.number32();
  const std::uint64_t samples = in.unsigned_number();
  if (samples >> 33 != 0) in.fail();
  time.samples = static_cast<std::uint32_t>(samples >> 1);
  time.cut = (samples & 1) != 0;
  time.median_ns = in.number();
  time.median_interval_ns.low = in.number();
  time.median_interval_ns.high = in.number();
  time.iqr_ns = in.number();
  time.baseline_ns = in.number();
  return time;
}

void put_features(const Features& features, WordEncoder& words, ByteWriter& out) {
  out.unsigned_number(features.items().size());
  for (const auto& [name, value] : features.items()) {
    put_word(name, words, out);
    if (const auto* number = std::get_if<double>(&value)) {
      out.byte(0);
      out.number(*number);
    } else {
      out.byte(1);
      put_word(std::get<std::string>(value), words, out);
    }
  }
}

void get_features(ByteReader& in, const WordDecoder& words, Features& features) {
  const std::size_t count = in.count(3);
  if (count > kMostFeatures) in.fail();
  for (std::size_t i = 0; i < count && in.ok(); ++i) {
    std::string name = get_word(in, words);
    switch (in.byte()) {
      case 0:
        features.set(std::move(name), in.number());
        break;
      case 1:
        features.set(std::move(name), get_word(in, words));
        break;
      default:
        in.fail();
    }
  }
}

void put_accuracy(const Accuracy& accuracy, ByteWriter& out) {
  out.number(accuracy.norm_error);
  out.number(accuracy.norm_limit);
  out.number(accuracy.worst_error);
  out.number(accuracy.worst_limit);
  out.number(accuracy.baseline_error);
  out.unsigned_number(accuracy.input_sets);
}

Accuracy get_accuracy(ByteReader& in) {
  Accuracy accuracy;
  accuracy.norm_error = in.number();
  accuracy.norm_limit = in.number();
  accuracy.worst_error = in.number();
  accuracy.worst_limit = in.number();
  accuracy.baseline_error = in.number();
  accuracy.input_sets = in.number32();
  return accuracy;
}

void put_comparison(const SettledRow& row, ByteWriter& out) {
  if (!row.verdict.comparison) {
    out.byte(0);
    return;
  }
  const Comparison& comparison = *row.verdict.comparison;
  out.byte(1);
  out.signed_number(static_cast<std::int64_t>(row.ticket - row.verdict.compared_with));
  out.byte(static_cast<std::uint8_t>(comparison.finding));
  out.number(comparison.log2_gain);
  out.unsigned_number(comparison.pairs);
  out.unsigned_number(comparison.wins);
  out.text(comparison.message);
}

void get_comparison(ByteReader& in, SettledRow& row) {
  const std::uint8_t present = in.byte();
  if (present > 1) in.fail();
  if (present == 0 || !in.ok()) return;
  row.verdict.compared_with = row.ticket - static_cast<std::uint64_t>(in.signed_number());
  Comparison comparison;
  const std::uint8_t finding = in.byte();
  if (finding > kLastFinding) in.fail();
  comparison.finding = static_cast<Comparison::Finding>(finding);
  comparison.log2_gain = in.number();
  comparison.pairs = in.number32();
  comparison.wins = in.number32();
  comparison.message = in.text();
  row.verdict.comparison = std::move(comparison);
}

}  // namespace

void encode_outcome(const Outcome& outcome, WordEncoder& words, ByteWriter& out) {
  out.byte(static_cast<std::uint8_t>(outcome.stage));
  out.text(outcome.message);
  out.unsigned_number(outcome.times.size());
  for (const WorkloadTime& time : outcome.times) put_time(time, out);
  put_features(outcome.features, words, out);
  put_accuracy(outcome.accuracy, out);
  out.number(outcome.costs.compile_s);
  out.number(outcome.costs.spawn_s);
  out.number(outcome.costs.verify_s);
  out.number(outcome.costs.time_s);
  out.unsigned_number(outcome.flags.size());
  for (const std::string& flag : outcome.flags) put_word(flag, words, out);
  const bool has_binary = outcome.binary != Hash128{};
  out.byte(has_binary ? 1 : 0);
  if (has_binary) out.raw(hash_bytes(outcome.binary));
  put_word(outcome.device, words, out);
}

bool decode_outcome(ByteReader& in, const WordDecoder& words, Outcome& outcome) {
  const std::uint8_t stage = in.byte();
  if (stage > kLastStage) in.fail();
  outcome.stage = static_cast<Stage>(stage);
  outcome.message = in.text();
  const std::size_t times = in.count(7);
  for (std::size_t i = 0; i < times && in.ok(); ++i) outcome.times.push_back(get_time(in));
  get_features(in, words, outcome.features);
  outcome.accuracy = get_accuracy(in);
  outcome.costs.compile_s = in.number();
  outcome.costs.spawn_s = in.number();
  outcome.costs.verify_s = in.number();
  outcome.costs.time_s = in.number();
  const std::size_t flags = in.count();
  for (std::size_t i = 0; i < flags && in.ok(); ++i) outcome.flags.push_back(get_word(in, words));
  const std::uint8_t has_binary = in.byte();
  if (has_binary > 1) in.fail();
  if (has_binary == 1) {
    if (const auto hash = hash_from_bytes(in.raw(16))) outcome.binary = *hash;
  }
  outcome.device = get_word(in, words);
  return in.ok();
}

void encode_body(const SettledRow& row, WordEncoder& words, ByteWriter& out) {
  out.byte(kBodyVersion);
  out.signed_number(row.settled_unix_ms);
  out.unsigned_number(row.parents.size());
  for (const std::uint64_t parent : row.parents) {
    out.signed_number(static_cast<std::int64_t>(row.ticket - parent));
  }
  put_comparison(row, out);
  encode_outcome(row.outcome, words, out);
}

bool decode_body(std::string_view bytes, const WordDecoder& words, SettledRow& row) {
  ByteReader in(bytes);
  if (in.byte() != kBodyVersion) return false;
  row.settled_unix_ms = in.signed_number();
  const std::size_t parents = in.count();
  for (std::size_t i = 0; i < parents && in.ok(); ++i) {
    row.parents.push_back(row.ticket - static_cast<std::uint64_t>(in.signed_number()));
  }
  get_comparison(in, row);
  return decode_outcome(in, words, row.outcome) && in.at_end();
}

TextPacker::TextPacker() : context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
  if (context_ == nullptr) throw std::bad_alloc();
}
TextPacker::~TextPacker() = default;

std::string_view TextPacker::pack(std::string_view text) {
  if (text.size() >= kCompressFrom) {
    packed_.resize(1 + ZSTD_compressBound(text.size()));
    packed_[0] = kZstd;
    const std::size_t size =
        ZSTD_compressCCtx(context_.get(), packed_.data() + 1, packed_.size() - 1, text.data(),
                          text.size(), kCompressionLevel);
    if (ZSTD_isError(size) == 0 && size < text.size()) {
      return std::string_view(packed_).substr(0, 1 + size);
    }
  }
  packed_.assign(1, static_cast<char>(kPlain));
  packed_ += text;
  return packed_;
}

std::optional<std::string> unpack_text(std::string_view packed) {
  if (packed.empty() || packed.size() > kPackedTextLimit) return std::nullopt;
  const auto form = static_cast<std::uint8_t>(packed.front());
  packed.remove_prefix(1);
  if (form == kPlain) return std::string(packed);
  if (form != kZstd) return std::nullopt;
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  // The two error values are larger than any limit.
  if (size > kPackedTextLimit) return std::nullopt;
  std::string text(static_cast<std::size_t>(size), '\0');
  const std::size_t got = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != text.size()) return std::nullopt;
  return text;
}

std::string hash_bytes(const Hash128& hash) {
  std::string bytes(16, '\0');
  for (unsigned i = 0; i < 8; ++i) {
    bytes[i] = static_cast<char>(hash.high >> (56 - 8 * i));
    bytes[8 + i] = static_cast<char>(hash.low >> (56 - 8 * i));
  }
  return bytes;
}

std::optional<Hash128> hash_from_bytes(std::string_view bytes) {
  if (bytes.size() != 16) return std::nullopt;
  Hash128 hash;
  for (std::size_t i = 0; i < 8; ++i) {
    hash.high = hash.high << 8 | static_cast<std::uint8_t>(bytes[i]);
    hash.low = hash.low << 8 | static_cast<std::uint8_t>(bytes[8 + i]);
  }
  return hash;
}

}  // namespace kernatlas::store
