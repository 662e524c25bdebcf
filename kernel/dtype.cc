#include "kernel/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "kernel/result.h"

namespace kernatlas {
namespace {

struct Description {
  std::string_view name;
  std::size_t size;
  bool is_float;
  std::string_view cpp_type;
};

// In the order of DType.
constexpr std::array<Description, 11> kDescriptions = {{
    {"f64", 8, true, "double"},
    {"f32", 4, true, "float"},
    {"f16", 2, true, "std::uint16_t"},
    {"bf16", 2, true, "std::uint16_t"},
    {"f8_e4m3", 1, true, "std::uint8_t"},
    {"f8_e5m2", 1, true, "std::uint8_t"},
    {"i8", 1, false, "std::int8_t"},
    {"u8", 1, false, "std::uint8_t"},
    {"i32", 4, false, "std::int32_t"},
    {"i64", 8, false, "std::int64_t"},
    {"bool", 1, false, "std::uint8_t"},
}};
static_assert(static_cast<std::size_t>(DType::boolean) + 1 == kDescriptions.size());

const Description& describe(DType type) {
  return kDescriptions.at(static_cast<std::size_t>(type));
}

// A binary floating-point format narrower than double: sign, exponent, mantissa.
template <typename Bits, int exponent_bits, int mantissa_bits, bool has_infinity>
struct Narrow {
  using Storage = Bits;
  static constexpr int kBias = (1 << (exponent_bits - 1)) - 1;
  static constexpr std::uint64_t kSign = std::uint64_t{1} << (exponent_bits + mantissa_bits);
  static constexpr std::uint64_t kInfinity = ((std::uint64_t{1} << exponent_bits) - 1)
                                             << mantissa_bits;
  // With infinity NaN is a full exponent and any mantissa but 0, without it only all ones.
  static constexpr std::uint64_t kNan =
      has_infinity ? kInfinity | std::uint64_t{1} << (mantissa_bits - 1) : kSign - 1;
  static constexpr std::uint64_t kOverflow = has_infinity ? kInfinity : kNan;
  static constexpr int kShift = 52 - mantissa_bits;

  static Bits encode(double value) {
    constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63;
    constexpr std::uint64_t kDoubleInfinity = std::uint64_t{0x7ff} << 52;
    constexpr std::uint64_t kSmallestNormal = static_cast<std::uint64_t>(1023 + 1 - kBias) << 52;
    // The sum of a subnormal and this has the format's smallest step as its unit in the last place.
    constexpr std::uint64_t kAligner = static_cast<std::uint64_t>(1023 + 53 - kBias - mantissa_bits)
                                       << 52;
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = (bits & kDoubleSign) != 0 ? kSign : 0;
    const std::uint64_t magnitude = bits & ~kDoubleSign;
    std::uint64_t result = 0;
    if (magnitude > kDoubleInfinity) {
      result = kNan;
    } else if (magnitude >= kSmallestNormal) {
      const std::uint64_t odd = magnitude >> kShift & 1;
      const std::uint64_t half_below = (std::uint64_t{1} << (kShift - 1)) - 1;
      const std::uint64_t rounded = (magnitude + half_below + odd) >> kShift;
      result = rounded - (static_cast<std::uint64_t>(1023 - kBias) << mantissa_bits);
      result = std::min(result, kOverflow);
    } else {
      const double aligned = std::bit_cast<double>(magnitude) + std::bit_cast<double>(kAligner);
      result = std::bit_cast<std::uint64_t>(aligned) - kAligner;
    }
    return static_cast<Bits>(sign | result);
  }

  static double decode(Bits bits) {
    const bool negative = (bits & kSign) != 0;
    const std::uint64_t magnitude = bits & (kSign - 1);
    double value = 0;
    if (magnitude == kNan || (has_infinity && magnitude > kInfinity)) {
      value = std::numeric_limits<double>::quiet_NaN();
    } else if (has_infinity && magnitude == kInfinity) {
      value = std::numeric_limits<double>::infinity();
    } else if (magnitude >> mantissa_bits == 0) {
      constexpr std::uint64_t kStep = static_cast<std::uint64_t>(1023 + 1 - kBias - mantissa_bits)
                                      << 52;
      value = static_cast<double>(magnitude) * std::bit_cast<double>(kStep);
    } else {
      value = std::bit_cast<double>((magnitude << kShift) +
                                    (static_cast<std::uint64_t>(1023 - kBias) << 52));
    }
    return negative ? -value : value;
  }
};

// std::nearbyint without the library call that plain x86-64 makes of it: the sum has no bits left
// for a fraction.
double round_to_even(double value) {
  constexpr double kAligner = 0x1.8p52;
  if (std::abs(value) < 0x1.0p51) return (value + kAligner) - kAligner;
  return std::nearbyint(value);
}

// A type that C++ has itself.
template <typename T>
struct Native {
  using Storage = T;
  static double decode(T value) { return static_cast<double>(value); }
  static T encode(double value) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(value);
    } else {
      if (std::isnan(value)) return 0;
      // The largest i64 is no double: what is at or beyond 2^63 saturates.
      constexpr double kBeyond = static_cast<double>(std::numeric_limits<T>::max() / 2 + 1) * 2;
      const double rounded = round_to_even(value);
      if (rounded >= kBeyond) return std::numeric_limits<T>::max();
      if (rounded <= static_cast<double>(std::numeric_limits<T>::min())) {
        return std::numeric_limits<T>::min();
      }
      return static_cast<T>(rounded);
    }
  }
};

struct Boolean {
  using Storage = std::uint8_t;
  static double decode(std::uint8_t value) { return value; }
  static std::uint8_t encode(double value) { return !std::isnan(value) && value != 0 ? 1 : 0; }
};

// Calls `action` with the format that belongs to `type`.
template <typename Action>
auto with_format(DType type, Action action) {
  switch (type) {
    case DType::f64:
      return action(Native<double>{});
    case DType::f32:
      return action(Native<float>{});
    case DType::f16:
      return action(Narrow<std::uint16_t, 5, 10, true>{});
    case DType::bf16:
      return action(Narrow<std::uint16_t, 8, 7, true>{});
    case DType::f8_e4m3:
      return action(Narrow<std::uint8_t, 4, 3, false>{});
    case DType::f8_e5m2:
      return action(Narrow<std::uint8_t, 5, 2, true>{});
    case DType::i8:
      return action(Native<std::int8_t>{});
    case DType::u8:
      return action(Native<std::uint8_t>{});
    case DType::i32:
      return action(Native<std::int32_t>{});
    case DType::i64:
      return action(Native<std::int64_t>{});
    case DType::boolean:
      return action(Boolean{});
  }
  panic(__FILE__, __LINE__, "type is a DType");
}

}  // namespace

std::string_view name(DType type) {
  return describe(type).name;
}
std::size_t size_of(DType type) {
  return describe(type).size;
}
bool is_float(DType type) {
  return describe(type).is_float;
}
std::string_view cpp_type(DType type) {
  return describe(type).cpp_type;
}

std::optional<DType> parse_dtype(std::string_view text) {
  const auto found = std::find_if(kDescriptions.begin(), kDescriptions.end(),
                                  [&](const Description& each) { return each.name == text; });
  if (found == kDescriptions.end()) return std::nullopt;
  return static_cast<DType>(found - kDescriptions.begin());
}

double load(DType type, const void* data, std::size_t index) {
  return with_format(type, [&](auto format) {
    using Storage = typename decltype(format)::Storage;
    Storage element;
    std::memcpy(&element, static_cast<const char*>(data) + index * sizeof element, sizeof element);
    return format.decode(element);
  });
}

void store(DType type, void* data, std::size_t index, double value) {
  with_format(type, [&](auto format) {
    const auto element = format.encode(value);
    std::memcpy(static_cast<char*>(data) + index * sizeof element, &element, sizeof element);
  });
}

// memcpy of one element, and not a typed pointer, because buffers are bytes to whoever made them;
// compilers turn it into plain loads and stores.
void load_all(DType type, const void* data, std::span<double> out) {
  with_format(type, [&](auto format) {
    using Storage = typename decltype(format)::Storage;
    const char* from = static_cast<const char*>(data);
    for (double& value : out) {
      Storage element;
      std::memcpy(&element, from, sizeof element);
      from += sizeof element;
      value = format.decode(element);
    }
  });
}

void store_all(DType type, std::span<const double> values, void* data) {
  with_format(type, [&](auto format) {
    char* to = static_cast<char*>(data);
    for (const double value : values) {
      const auto element = format.encode(value);
      std::memcpy(to, &element, sizeof element);
      to += sizeof element;
    }
  });
}

}  // namespace kernatlas
