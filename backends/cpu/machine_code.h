// Machine code of a shared object, decoded once for inspection and for features.
//
// Every executable section is swept linearly, restarting at each function symbol; an instruction
// that does not decode, that runs over the start of the next function, or a direct branch into the
// middle of an instruction, is reported as a problem: such code hides something from this sweep.
// Decoding is Zydis'; nothing is executed. Cost: linear in the code, about 50 ns an instruction.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "backends/cpu/elf_image.h"

namespace kernatlas {

struct Instruction {
  enum class Flow : std::uint8_t { next, jump, branch, call, ret, indirect_jump, indirect_call };
  // compute: floating-point or packed arithmetic, or an integer operation on a place in memory.
  // rearrange: moves lanes within vector registers. Scalar integer work is neither: it is mostly
  // addresses and loop counters.
  enum class Work : std::uint8_t { other, compute, rearrange };

  std::uint64_t address = 0;
  std::uint64_t target = 0;          // of a direct jump, branch or call
  std::uint64_t code_reference = 0;  // address computed or read relative to rip; 0: none
  const char* forbidden = nullptr;   // why a candidate may not use it
  std::uint16_t mnemonic = 0;
  std::uint16_t vector_bits = 0;  // of packed work: 128, 256, 512; 0 for scalar
  std::uint16_t memory_bits = 0;  // width of the access to data memory; 0: none
  std::uint8_t length = 0;
  Flow flow = Flow::next;
  Work work = Work::other;
  bool fused = false;    // multiply-add
  bool gathers = false;  // gather or scatter
  bool streams = false;  // non-temporal load or store
  bool prefetches = false;
  bool on_stack = false;  // reads or writes the stack frame explicitly
  bool padding = false;   // no operation
};

[[nodiscard]] std::string mnemonic_name(const Instruction& instruction);

struct CodeRegion {
  std::string name;  // symbol, or the section's name for code before the first symbol
  std::uint64_t begin = 0, end = 0;
  bool is_function = false;
  std::vector<Instruction> instructions;  // ascending addresses
};

struct MachineCode {
  std::vector<CodeRegion> regions;    // ascending addresses within a section
  std::vector<std::string> problems;  // bounded; see above
};

[[nodiscard]] MachineCode decode_machine_code(const ElfImage& image);

}  // namespace kernatlas
