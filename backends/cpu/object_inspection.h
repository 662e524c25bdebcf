// Inspection: may this shared object run? Symbols, dynamic section, segments and instructions
// against short allow-lists (docs/cpu-backend.md has the rules and their reasons).
//
// It is one layer of several: what it lets through still runs in the sandbox, and is still
// verified. It catches early, and with a reason, what those could only call a crash or a wrong
// result: library calls, state kept between launches, code that runs at load time, clocks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/elf_image.h"
#include "backends/cpu/machine_code.h"

namespace kernatlas {

struct InspectionFinding {
  std::string what;     // "calls malloc"
  std::string instead;  // what an honest kernel does; may be empty
};

// Findings in a fixed order, at most 32; empty when the object may run. `launches` are the symbols
// that it must export, all of them and nothing else.
[[nodiscard]] std::vector<InspectionFinding> inspect_object(const ElfImage& image,
                                                            const MachineCode& code,
                                                            std::span<const std::string> launches);

// "calls malloc; instead, declare a [workspace]".
[[nodiscard]] std::string finding_text(const InspectionFinding& finding);

// A function of libc, libm or libmvec that a kernel may call.
[[nodiscard]] bool is_allowed_import(std::string_view symbol);

}  // namespace kernatlas
