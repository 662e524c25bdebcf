// Decodes and classifies one x86-64 instruction (Zydis behind it).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "backends/cpu/machine_code.h"

namespace kernatlas {

class InstructionDecoder {
 public:
  InstructionDecoder();
  ~InstructionDecoder();
  InstructionDecoder(const InstructionDecoder&) = delete;
  InstructionDecoder& operator=(const InstructionDecoder&) = delete;

  // The instruction at the start of `bytes`; nullopt when there is none. Sets `on_stack` for rsp
  // and rbp bases alike: whether rbp is a frame pointer is known only for a whole function.
  [[nodiscard]] std::optional<Instruction> decode(std::string_view bytes,
                                                  std::uint64_t address) const;
  // Facts about the last instruction decode() returned.
  [[nodiscard]] bool sets_frame_pointer() const;      // rbp becomes a copy of rsp
  [[nodiscard]] bool based_on_frame_pointer() const;  // its memory operand is relative to rbp

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernatlas
