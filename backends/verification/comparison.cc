#include "backends/verification/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernel/result.h"

namespace kernatlas {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Largest finite value of the type; beyond it a value rounds to infinity (e4m3: NaN).
double largest(DType type) {
  switch (type) {
    case DType::f32:
      return std::numeric_limits<float>::max();
    case DType::f16:
      return 65504;
    case DType::bf16:
      return 0x1.fep127;
    case DType::f8_e4m3:
      return 448;
    case DType::f8_e5m2:
      return 57344;
    default:
      return std::numeric_limits<double>::max();
  }
}

// How close to the range's edge both infinity and a finite value are right: the type's own limit
// for one element, so that an honest rounding difference decides nothing.
double edge_share(DType type) {
  return default_tolerance(type, 1).w0;
}

bool beyond_or_near_range(DType type, double expected) {
  return !(std::abs(expected) <= largest(type) * (1 - edge_share(type)));
}

// The finite-class rule for one element. True: the classes agree.
bool classes_agree(DType type, double expected, double got) {
  if (std::isnan(expected)) return std::isnan(got);
  const double edge = largest(type);
  const bool overflow = std::abs(expected) > edge * (1 + edge_share(type));
  const bool near_edge = !overflow && beyond_or_near_range(type, expected);
  const bool got_infinite = std::isinf(got) && std::signbit(got) == std::signbit(expected);
  // e4m3 has no infinity: an overflow is NaN, or saturated to the largest value.
  const bool got_overflow = type == DType::f8_e4m3
                                ? std::isnan(got) || (std::abs(got) == edge &&
                                                      std::signbit(got) == std::signbit(expected))
                                : got_infinite;
  if (std::isinf(expected) || overflow) return got_overflow;
  if (near_edge) return got_overflow || std::isfinite(got);
  return std::isfinite(got);
}

// Whether the element takes part in the norms at all.
bool counts(DType type, double expected, double got) {
  return std::isfinite(expected) && std::abs(expected) <= largest(type) * (1 + edge_share(type)) &&
         std::isfinite(got);
}

struct Sums {
  double square = 0;
  double worst = 0;
};

// The hot loop: eight independent lanes, so that the compiler may use vector registers without
// being allowed to reorder floating point sums.
Sums accumulate(const double* expected, const double* got, std::size_t count, double inverse_scale,
                double rms) {
  constexpr std::size_t kLanes = 8;
  std::array<double, kLanes> square{};
  std::array<double, kLanes> worst{};
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double difference = std::abs(got[i + lane] - expected[i + lane]);
      const double scaled = difference * inverse_scale;
      square[lane] += scaled * scaled;
      const double relative = difference / (std::abs(expected[i + lane]) + rms);
      worst[lane] = relative > worst[lane] ? relative : worst[lane];
    }
  }
  for (; i < count; ++i) {
    const double difference = std::abs(got[i] - expected[i]);
    square[0] += difference * inverse_scale * difference * inverse_scale;
    worst[0] = std::max(worst[0], difference / (std::abs(expected[i]) + rms));
  }
  Sums sums;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    sums.square += square[lane];
    sums.worst = std::max(sums.worst, worst[lane]);
  }
  return sums;
}

// A ratio whose 0 / 0 is 0: exact where nothing was expected.
double ratio(double numerator, double denominator) {
  return numerator == 0 ? 0 : numerator / denominator;
}

}  // namespace

Expected::Expected(DType type, std::vector<std::int64_t> values)
    : type_(type), integers_(std::move(values)) {
  KERNATLAS_CHECK(!is_float(type));
}

Expected::Expected(DType type, std::vector<double> values)
    : type_(type), values_(std::move(values)) {
  KERNATLAS_CHECK(is_float(type));
  const std::size_t count = values_.size();
  slab_size_ = std::max<std::size_t>(1, (count + kSlabs - 1) / kSlabs);
  double biggest = 0;
  for (const double value : values_) {
    if (std::isfinite(value)) biggest = std::max(biggest, std::abs(value));
  }
  if (biggest > 0) inverse_scale_ = std::ldexp(1.0, std::clamp(-std::ilogb(biggest), -1000, 1000));

  std::size_t finite = 0;
  for (std::size_t begin = 0; begin < count; begin += slab_size_) {
    const std::size_t slab_end = std::min(count, begin + slab_size_);
    double slab = 0;
    for (std::size_t block = begin; block < slab_end; block += kBlock) {
      bool unusual = false;
      for (std::size_t i = block; i < std::min(slab_end, block + kBlock); ++i) {
        unusual |= beyond_or_near_range(type, values_[i]);
        if (!counts(type, values_[i], 0)) continue;
        const double scaled = values_[i] * inverse_scale_;
        slab += scaled * scaled;
        ++finite;
      }
      block_unusual_.push_back(unusual);
    }
    slab_norm2_.push_back(slab);
    scaled_norm2_ += slab;
  }
  if (finite > 0) rms_ = std::sqrt(scaled_norm2_ / static_cast<double>(finite)) / inverse_scale_;
}

// Walks slabs and blocks of one comparison.
struct ErrorMeter {
  const Expected& expected;
  const void* got;
  Errors errors{};
  std::array<double, Expected::kBlock> buffer{};

  void note_mismatch(std::size_t index) {
    if (errors.class_mismatches++ == 0) errors.first_mismatch = index;
  }

  // Element by element: only where something is not finite, or to find a place.
  Sums careful(std::size_t begin, std::size_t count) {
    Sums sums;
    for (std::size_t i = 0; i < count; ++i) {
      const double want = expected.values_[begin + i];
      if (!classes_agree(expected.type_, want, buffer[i])) {
        note_mismatch(begin + i);
      } else if (counts(expected.type_, want, buffer[i])) {
        const double difference = std::abs(buffer[i] - want);
        const double scaled = difference * expected.inverse_scale_;
        sums.square += scaled * scaled;
        sums.worst = std::max(sums.worst, ratio(difference, std::abs(want) + expected.rms_));
      }
    }
    return sums;
  }

  void find_worst(std::size_t begin, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const double want = expected.values_[begin + i];
      if (!counts(expected.type_, want, buffer[i])) continue;
      const double relative = ratio(std::abs(buffer[i] - want), std::abs(want) + expected.rms_);
      if (relative >= errors.worst) {
        errors.worst = relative;
        errors.worst_index = begin + i;
      }
    }
  }

  double block(std::size_t begin, std::size_t count, bool unusual) {
    const std::size_t width = size_of(expected.type_);
    load_all(expected.type_, static_cast<const std::byte*>(got) + begin * width,
             std::span(buffer.data(), count));
    // rms 0: everything expected is 0, and the hot loop would divide by it.
    Sums sums;
    bool trust = !unusual && expected.rms_ > 0;
    if (trust) {
      sums = accumulate(expected.values_.data() + begin, buffer.data(), count,
                        expected.inverse_scale_, expected.rms_);
      trust = std::isfinite(sums.square);
    }
    if (!trust) sums = careful(begin, count);
    if (sums.worst > errors.worst) find_worst(begin, count);
    return sums.square;
  }

  void floats() {
    const std::size_t count = expected.size();
    double total = 0;
    double norm2 = 0;
    std::size_t slab = 0;
    std::size_t index = 0;
    const double floor2 = expected.scaled_norm2_ / (16.0 * 16.0);
    for (std::size_t begin = 0; begin < count; begin += expected.slab_size_, ++slab) {
      const std::size_t end = std::min(count, begin + expected.slab_size_);
      double square = 0;
      for (std::size_t b = begin; b < end; b += Expected::kBlock, ++index) {
        square += block(b, std::min(Expected::kBlock, end - b), expected.block_unusual_[index]);
      }
      total += square;
      norm2 = std::max(norm2, ratio(square, std::max(expected.slab_norm2_[slab], floor2)));
    }
    norm2 = std::max(norm2, ratio(total, expected.scaled_norm2_));
    errors.norm = std::sqrt(norm2);
  }

  template <typename T>
  void integers() {
    const auto* data = static_cast<const T*>(got);
    for (std::size_t i = 0; i < expected.integers_.size(); ++i) {
      if (static_cast<std::int64_t>(data[i]) != expected.integers_[i]) note_mismatch(i);
    }
    if (errors.class_mismatches == 0) return;
    errors.worst_index = errors.first_mismatch;
    errors.norm = errors.worst = kInfinity;
  }

  void run() {
    switch (expected.type_) {
      case DType::i8:
        return integers<std::int8_t>();
      case DType::u8:
      case DType::boolean:
        return integers<std::uint8_t>();
      case DType::i32:
        return integers<std::int32_t>();
      case DType::i64:
        return integers<std::int64_t>();
      default:
        return floats();
    }
  }
};

Errors measure_errors(const Expected& expected, const void* got) {
  ErrorMeter meter{.expected = expected, .got = got};
  meter.run();
  return meter.errors;
}

bool element_matches(const Expected& expected, std::size_t index, double got, double worst_limit) {
  const double want = expected.at(index);
  if (!is_float(expected.type())) return got == want;
  if (!classes_agree(expected.type(), want, got)) return false;
  if (!counts(expected.type(), want, got)) return true;
  return ratio(std::abs(got - want), std::abs(want) + expected.rms()) <= worst_limit;
}

}  // namespace kernatlas
