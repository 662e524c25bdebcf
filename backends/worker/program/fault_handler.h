// Last words: when the candidate faults, the black box is told what a signal number cannot say, and
// then the process dies of that very signal.
#pragma once

#include <cstddef>

#include "backends/worker/black_box.h"

namespace kernatlas {

// Where the buffers lie, guard zones apart.
struct ArenaPlace {
  std::byte* data = nullptr;
  std::size_t size = 0;
};
inline constexpr std::size_t kGuardBytes = 256u << 20;  // without access, on both sides
inline constexpr std::size_t kStackBytes = 8u << 20;
inline constexpr std::size_t kStackGuardBytes = 16u << 20;

// Once a process, before the candidate's code.
void install_fault_handler(BlackBox* box, std::size_t largest_mapping);
// Once a thread that runs candidates: faults are handled on a stack of their own.
void prepare_thread_for_faults();
void note_arena(ArenaPlace place);

// The candidate's allocation failed: says so and ends the process.
[[noreturn]] void die_out_of_memory();

}  // namespace kernatlas
