#include "backends/cpu/object_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "backends/cpu/loop_nest.h"

namespace kernatlas {

namespace {

// Shares of weight from which on a trait characterises the kernel (docs/features.md).
constexpr double kWidthShare = 1.0 / 16;    // packed work of a width, of all instructions
constexpr double kVectorShare = 0.25;       // vector accesses, of all accesses to memory
constexpr double kSpecialShare = 1.0 / 64;  // gathers, streams, prefetches, of all accesses
constexpr double kMinIntensity = 1.0 / 64;
constexpr double kMaxIntensity = 64;

struct Sums {
  double all = 0;
  std::array<double, 3> packed{};  // 128, 256, 512 bits
  double fused = 0;
  double accesses = 0, vector_accesses = 0;
  double gathers = 0, streams = 0, prefetches = 0;
  double compute = 0;
  double code_bytes = 0;
  double spills = 0, calls = 0;
};

std::size_t width_index(std::uint16_t bits) {
  return bits >= 512 ? 2 : bits >= 256 ? 1 : 0;
}

void add(const Instruction& instruction, const LoopFacts& facts, Sums& sums) {
  if (instruction.padding) return;
  const double weight = facts.weight;
  sums.code_bytes += instruction.length;
  sums.all += weight;
  if (instruction.vector_bits != 0) sums.packed[width_index(instruction.vector_bits)] += weight;
  if (instruction.fused) sums.fused += weight;
  const bool accesses = instruction.memory_bits != 0 && !instruction.on_stack;
  if (accesses) {
    sums.accesses += weight;
    if (instruction.memory_bits >= 128) sums.vector_accesses += weight;
  }
  if (instruction.gathers) sums.gathers += weight;
  if (instruction.streams) sums.streams += weight;
  if (instruction.prefetches) sums.prefetches += weight;
  if (instruction.work == Instruction::Work::compute) sums.compute += weight;
  if (facts.depth == 0) return;
  if (instruction.on_stack && instruction.memory_bits != 0) sums.spills += 1;
  const bool calls = instruction.flow == Instruction::Flow::call ||
                     instruction.flow == Instruction::Flow::indirect_call;
  if (calls) sums.calls += 1;
}

Sums sum_up(const MachineCode& code, const LoopNest& nest) {
  Sums sums;
  for (std::size_t r = 0; r < code.regions.size(); ++r) {
    // The stubs of the linkage table have no symbol and are no code of the kernel's.
    if (!code.regions[r].is_function) continue;
    for (std::size_t i = 0; i < code.regions[r].instructions.size(); ++i) {
      add(code.regions[r].instructions[i], nest.facts[r][i], sums);
    }
  }
  return sums;
}

std::string vector_width(const Sums& sums) {
  static constexpr std::array<const char*, 3> kNames = {"128", "256", "512"};
  for (std::size_t i = 3; i-- > 0;) {
    if (sums.packed[i] > 0 && sums.packed[i] >= kWidthShare * sums.all) return kNames[i];
  }
  return "none";
}

std::string memory_kind(const Sums& sums) {
  const auto significant = [&](double weight) {
    return weight > 0 && weight >= kSpecialShare * sums.accesses;
  };
  if (significant(sums.streams)) return "streaming";
  if (significant(sums.prefetches)) return "prefetch";
  if (significant(sums.gathers)) return "gather";
  const bool vector =
      sums.vector_accesses > 0 && sums.vector_accesses >= kVectorShare * sums.accesses;
  return vector ? "vector" : "scalar";
}

// By weight, so that the innermost loops decide.
double intensity(const Sums& sums) {
  if (sums.accesses <= 0) return sums.compute > 0 ? kMaxIntensity : 1;
  return std::clamp(sums.compute / sums.accesses, kMinIntensity, kMaxIntensity);
}

}  // namespace

Features cpu_features(const MachineCode& code, const LaunchPlan& plan) {
  const LoopNest nest = find_loops(code);
  const Sums sums = sum_up(code, nest);
  double workspace_bytes = 0;
  for (const std::int64_t bytes : plan.workspace_bytes) {
    workspace_bytes += static_cast<double>(bytes);
  }
  double grid_points = 0;
  for (const Launch& launch : plan.launches) {
    const double points = static_cast<double>(launch.grid[0]) *
                          static_cast<double>(launch.grid[1]) * static_cast<double>(launch.grid[2]);
    grid_points = std::max(grid_points, points);
  }
  Features features;
  features.set("vector_width", vector_width(sums));
  features.set("fma", std::string(sums.fused > 0 ? "yes" : "no"));
  features.set("memory", memory_kind(sums));
  features.set("intensity", intensity(sums));
  features.set("code_bytes", sums.code_bytes);
  features.set("loops", static_cast<double>(nest.loops));
  features.set("spills", sums.spills);
  features.set("calls", sums.calls);
  features.set("launches", static_cast<double>(plan.launches.size()));
  features.set("workspace_bytes", workspace_bytes);
  features.set("grid_points", grid_points);
  return features;
}

std::vector<AxisRequest> cpu_default_axes() {
  return {
      {.feature = "vector_width",
       .unit = "bits",
       .scale = "categorical",
       .edges = {},
       .labels = {"none", "128", "256", "512"}},
      {.feature = "memory",
       .unit = "access",
       .scale = "categorical",
       .edges = {},
       .labels = {"scalar", "vector", "gather", "prefetch", "streaming"}},
      {.feature = "intensity",
       .unit = "operations per access",
       .scale = "log2",
       .edges = {kMinIntensity, 0.5, 1, 2, kMaxIntensity},
       .labels = {}},
  };
}

}  // namespace kernatlas
