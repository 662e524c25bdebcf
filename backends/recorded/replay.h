// Replay: what one simulated device answers. Pure functions of (seed, ticket) beside the sleeping.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "backends/backend.h"
#include "backends/recorded/recorded_options.h"
#include "backends/recorded/recorded_table.h"

namespace kernatlas {

struct Replay {
  RecordedTable table;
  RecordedOptions options;
  std::uint64_t seed = 0;
  const std::atomic<bool>* cancel = nullptr;
  std::string device;  // DeviceInfo::contract_text()
};

// An uncompiled failure's outcome, or what running the row gives. `purpose` separates the streams
// of evaluate and examine. Sleeps as the options say. ≈ 0.3 µs without sleeping.
[[nodiscard]] Outcome replay_row(const Replay& replay, std::uint32_t row, std::uint64_t ticket,
                                 std::uint64_t purpose);

// Both rows in interleaved pairs, each with its own noise. Faster or slower when the mean gain is
// more than kSigmas standard errors away from nothing.
[[nodiscard]] Comparison replay_comparison(const Replay& replay, std::uint32_t challenger,
                                           std::uint32_t incumbent, std::uint64_t ticket);

}  // namespace kernatlas
