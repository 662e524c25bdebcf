#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernel/dtype_limits.h"
#include "kernel/fill.h"
#include "kernel/fill_sampler.h"

namespace kernatlas {
namespace {

using detail::Sampler;

constexpr std::size_t kChunk = 1024;  // elements; `spikes` counts on 1024

// Draws count numbers chunk by chunk and stores them. `next(i)` makes element i.
template <typename Next>
void write(DType type, void* data, std::size_t count, Next next) {
  const double limit = is_float(type) ? float_limits(type).largest : HUGE_VAL;
  std::array<double, kChunk> chunk;  // NOLINT(*-member-init): written before it is read
  char* to = static_cast<char*>(data);
  for (std::size_t begin = 0; begin < count; begin += kChunk) {
    const std::size_t size = std::min(kChunk, count - begin);
    for (std::size_t i = 0; i < size; ++i) {
      chunk[i] = std::clamp(next(begin + i), -limit, limit);
    }
    store_all(type, {chunk.data(), size}, to);
    to += size * size_of(type);
  }
}

void write_constant(DType type, void* data, std::size_t count, double value) {
  write(type, data, count, [value](std::size_t) { return value; });
}

void write_spikes(DType type, void* data, std::size_t count, Sampler& sampler) {
  std::size_t place = 0;
  write(type, data, count, [&](std::size_t i) {
    if (i % kChunk == 0) place = i + sampler.below(std::min(kChunk, count - i));
    const double value = sampler.normal();
    return i == place ? value * (100 + 900 * sampler.uniform()) : value;
  });
}

void write_sparse(DType type, void* data, std::size_t count, double share, Sampler& sampler) {
  const std::uint64_t largest = type == DType::boolean ? 1 : 100;
  write(type, data, count, [&](std::size_t) {
    if (sampler.uniform() < share) return 0.0;
    if (is_float(type)) return sampler.normal();
    return static_cast<double>(1 + sampler.below(largest));
  });
}

// The order statistics of a uniform sample are the partial sums of exponential gaps over their
// total: no sorting, no memory. The gaps are drawn twice from copies of one stream.
void write_sorted(DType type, void* data, std::size_t count, double low, double high,
                  Sampler& sampler) {
  Sampler again = sampler;
  double total = 0;
  for (std::size_t i = 0; i <= count; ++i) total += sampler.exponential();
  double sum = 0;
  write(type, data, count, [&](std::size_t) {
    sum += again.exponential();
    const double part = sum / total;
    if (is_float(type)) return low + (high - low) * part;
    return std::min(high, low + std::floor((high - low + 1) * part));
  });
}

double special_value(const FloatLimits& limits, Sampler& sampler) {
  const std::uint64_t which = sampler.below(6);
  double magnitude = 0;
  if (which / 2 == 1) {
    const auto steps = 1 + sampler.below((std::uint64_t{1} << limits.mantissa_bits) - 1);
    magnitude = limits.smallest_denormal * static_cast<double>(steps);
  }
  if (which / 2 == 2) magnitude = limits.largest / 4;
  return which % 2 == 0 ? magnitude : -magnitude;
}

void write_special(DType type, void* data, std::size_t count, Sampler& sampler) {
  const FloatLimits limits = float_limits(type);
  write(type, data, count, [&](std::size_t) {
    return sampler.below(16) == 0 ? special_value(limits, sampler) : sampler.normal();
  });
}

// Fisher and Yates, building the permutation as it goes.
template <typename T>
void write_permutation(void* data, std::size_t count, Sampler& sampler) {
  char* const out = static_cast<char*>(data);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t j = sampler.below(i + 1);
    const auto value = static_cast<T>(i);
    std::memmove(out + i * sizeof(T), out + j * sizeof(T), sizeof(T));
    std::memcpy(out + j * sizeof(T), &value, sizeof(T));
  }
}

void write_whole_numbers(DType type, void* data, std::size_t count, double low,
                         std::uint64_t how_many, Sampler& sampler) {
  write(type, data, count,
        [&](std::size_t) { return low + static_cast<double>(sampler.below(how_many)); });
}

void write_wide(DType type, void* data, std::size_t count, Sampler& sampler) {
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  write(type, data, count, [&](std::size_t) {
    const double scale = detail::portable_exp((16 * sampler.uniform() - 8) * kLn2);
    return scale * sampler.normal();
  });
}

}  // namespace

void generate(const Fill& fill, DType type, void* data, std::size_t count, std::int64_t bound,
              Rng& rng) {
  Sampler sampler(rng());
  const auto argument = [&fill](std::size_t i) { return fill.arguments.at(i); };
  switch (fill.kind) {
    case FillKind::normal:
      return write(type, data, count, [&, mean = argument(0), sd = argument(1)](std::size_t) {
        return mean + sd * sampler.normal();
      });
    case FillKind::uniform:
      return write(type, data, count, [&, low = argument(0), high = argument(1)](std::size_t) {
        return low + (high - low) * sampler.uniform();
      });
    case FillKind::wide:
      return write_wide(type, data, count, sampler);
    case FillKind::spikes:
      return write_spikes(type, data, count, sampler);
    case FillKind::sparse:
      return write_sparse(type, data, count, argument(0), sampler);
    case FillKind::sorted:
      return write_sorted(type, data, count, argument(0), argument(1), sampler);
    case FillKind::special:
      return write_special(type, data, count, sampler);
    case FillKind::integers:
      return write_whole_numbers(type, data, count, argument(0),
                                 static_cast<std::uint64_t>(argument(1) - argument(0)) + 1,
                                 sampler);
    case FillKind::ones:
      return write_constant(type, data, count, 1);
    case FillKind::zeros:
      return write_constant(type, data, count, 0);
    case FillKind::permutation:
      KERNATLAS_CHECK(type == DType::i32 || type == DType::i64);
      if (type == DType::i32) return write_permutation<std::int32_t>(data, count, sampler);
      return write_permutation<std::int64_t>(data, count, sampler);
    case FillKind::indices:
      KERNATLAS_CHECK(bound > 0);
      return write_whole_numbers(type, data, count, 0, static_cast<std::uint64_t>(bound), sampler);
  }
}

}  // namespace kernatlas
