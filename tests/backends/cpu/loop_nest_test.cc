#include "backends/cpu/loop_nest.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kernatlas;
using Flow = Instruction::Flow;

namespace {

// One-byte instructions at begin, begin + 1, …
CodeRegion region(std::uint64_t begin, std::size_t count) {
  CodeRegion made;
  made.begin = begin;
  made.end = begin + count;
  made.is_function = true;
  for (std::size_t i = 0; i < count; ++i) {
    Instruction instruction;
    instruction.address = begin + i;
    instruction.length = 1;
    made.instructions.push_back(instruction);
  }
  return made;
}

void transfer(CodeRegion& region, std::size_t at, Flow flow, std::uint64_t target) {
  region.instructions[at].flow = flow;
  region.instructions[at].target = target;
}

std::vector<int> depths(const LoopNest& nest, std::size_t region) {
  std::vector<int> result;
  for (const LoopFacts& facts : nest.facts[region]) result.push_back(facts.depth);
  return result;
}

}  // namespace

TEST_CASE("nested loops: depth by containment, weight by depth") {
  MachineCode code;
  code.regions.push_back(region(100, 10));
  transfer(code.regions[0], 6, Flow::branch, 103);
  transfer(code.regions[0], 8, Flow::jump, 101);
  const LoopNest nest = find_loops(code);
  CHECK(nest.loops == 2);
  CHECK(depths(nest, 0) == std::vector<int>{0, 1, 1, 2, 2, 2, 2, 1, 1, 0});
  CHECK(nest.facts[0][0].weight == 1);
  CHECK(nest.facts[0][1].weight == 8);
  CHECK(nest.facts[0][4].weight == 64);
}

TEST_CASE("two branches to one place are one loop; forward branches are none") {
  MachineCode code;
  code.regions.push_back(region(100, 8));
  transfer(code.regions[0], 3, Flow::branch, 102);
  transfer(code.regions[0], 5, Flow::branch, 102);
  transfer(code.regions[0], 0, Flow::branch, 107);
  const LoopNest nest = find_loops(code);
  CHECK(nest.loops == 1);
  CHECK(depths(nest, 0) == std::vector<int>{0, 0, 1, 1, 1, 1, 0, 0});
}

TEST_CASE("an instruction that branches to itself is a loop of one") {
  MachineCode code;
  code.regions.push_back(region(100, 3));
  transfer(code.regions[0], 1, Flow::branch, 101);
  CHECK(depths(find_loops(code), 0) == std::vector<int>{0, 1, 0});
}

TEST_CASE("a function called from a loop weighs as much as its call; jumps out are no loops") {
  MachineCode code;
  code.regions.push_back(region(100, 4));
  code.regions.push_back(region(200, 3));
  transfer(code.regions[1], 1, Flow::call, 100);
  transfer(code.regions[1], 2, Flow::branch, 200);
  transfer(code.regions[0], 3, Flow::jump, 50);
  const LoopNest nest = find_loops(code);
  CHECK(nest.loops == 1);
  CHECK(depths(nest, 0) == std::vector<int>{0, 0, 0, 0});
  CHECK(nest.facts[0][0].weight == 8);
}

TEST_CASE("recursion and deep nests stay bounded") {
  MachineCode code;
  code.regions.push_back(region(100, 40));
  transfer(code.regions[0], 39, Flow::call, 100);
  for (std::size_t i = 0; i < 12; ++i) {
    transfer(code.regions[0], 20 + i, Flow::branch, 119 - i);
  }
  const LoopNest nest = find_loops(code);
  CHECK(nest.loops == 12);
  CHECK(nest.facts[0][19].depth == 12);
  CHECK(nest.facts[0][19].weight == 8.0 * 8 * 8 * 8 * 8 * 8);
}

TEST_CASE("no code, no loops") {
  CHECK(find_loops({}).loops == 0);
  MachineCode code;
  code.regions.emplace_back();
  CHECK(find_loops(code).facts.size() == 1);
}
