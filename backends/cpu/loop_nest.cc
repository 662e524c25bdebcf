#include "backends/cpu/loop_nest.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

namespace kernatlas {

namespace {

using Flow = Instruction::Flow;

constexpr int kMaxDepth = 6;
constexpr double kLevelFactor = 8;

std::size_t index_of(const CodeRegion& region, std::uint64_t address) {
  const auto at = std::lower_bound(region.instructions.begin(), region.instructions.end(), address,
                                   [](const Instruction& instruction, std::uint64_t value) {
                                     return instruction.address < value;
                                   });
  return static_cast<std::size_t>(at - region.instructions.begin());
}

// First and last instruction of each loop, by header.
std::map<std::size_t, std::size_t> loops_of(const CodeRegion& region) {
  std::map<std::size_t, std::size_t> loops;
  for (std::size_t i = 0; i < region.instructions.size(); ++i) {
    const Instruction& instruction = region.instructions[i];
    const bool branches = instruction.flow == Flow::branch || instruction.flow == Flow::jump;
    if (!branches || instruction.target > instruction.address ||
        instruction.target < region.begin) {
      continue;
    }
    std::size_t& last = loops[index_of(region, instruction.target)];
    last = std::max(last, i);
  }
  return loops;
}

std::vector<LoopFacts> facts_of(const CodeRegion& region, std::size_t& loop_count) {
  std::vector<LoopFacts> facts(region.instructions.size());
  const auto loops = loops_of(region);
  loop_count += loops.size();
  std::vector<int> change(facts.size() + 1, 0);
  for (const auto& [first, last] : loops) {
    ++change[first];
    --change[last + 1];
  }
  int depth = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) facts[i].depth = depth += change[i];
  return facts;
}

// How deep each region is called, at most kMaxDepth. Recursion ends at that bound, too.
std::vector<int> base_depths(const MachineCode& code, const LoopNest& nest) {
  std::map<std::uint64_t, std::size_t> region_at;
  for (std::size_t r = 0; r < code.regions.size(); ++r) region_at[code.regions[r].begin] = r;
  struct Call {
    std::size_t from, to;
    int depth;
  };
  std::vector<Call> calls;
  for (std::size_t r = 0; r < code.regions.size(); ++r) {
    const auto& instructions = code.regions[r].instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (instructions[i].flow != Flow::call && instructions[i].flow != Flow::jump) continue;
      const auto callee = region_at.find(instructions[i].target);
      if (callee == region_at.end() || callee->second == r) continue;
      calls.push_back({r, callee->second, nest.facts[r][i].depth});
    }
  }
  std::vector<int> base(code.regions.size(), 0);
  for (int round = 0; round < kMaxDepth; ++round) {
    for (const Call& call : calls) {
      base[call.to] = std::max(base[call.to], std::min(kMaxDepth, base[call.from] + call.depth));
    }
  }
  return base;
}

}  // namespace

LoopNest find_loops(const MachineCode& code) {
  LoopNest nest;
  for (const CodeRegion& region : code.regions) {
    nest.facts.push_back(facts_of(region, nest.loops));
  }
  const std::vector<int> base = base_depths(code, nest);
  for (std::size_t r = 0; r < nest.facts.size(); ++r) {
    for (LoopFacts& facts : nest.facts[r]) {
      facts.weight = std::pow(kLevelFactor, std::min(kMaxDepth, base[r] + facts.depth));
    }
  }
  return nest;
}

}  // namespace kernatlas
