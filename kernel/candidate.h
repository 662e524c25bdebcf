// Candidate: kernel source + assignment of its tunables + compile options. Its id is a content
// hash.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kernel/hash.h"
#include "kernel/kernel_source.h"
#include "kernel/result.h"

namespace kernatlas {

// A value per tunable of the source, in the source's order.
using Assignment = std::vector<std::int64_t>;

// A compile option is a tunable that the backend declares ("opt" in O2, O3; "fast_math" in 0, 1 …).
// A value per option of the backend, in the backend's order; empty means every option's first
// value.
using CompileOptions = std::vector<std::int64_t>;

struct Candidate {
  KernelSourcePtr source;
  Assignment assignment;
  CompileOptions options;

  // Hash of source, assignment and options. Same content, same id, on every machine.
  [[nodiscard]] Hash128 id() const;
};

// "BLOCK=128 VEC=4", in the order of `tunables`; empty text for no tunables.
[[nodiscard]] std::string to_text(const std::vector<Tunable>& tunables,
                                  const std::vector<std::int64_t>& values);
// The inverse; every tunable exactly once, any order. Errors name the tunable and its values.
[[nodiscard]] Result<std::vector<std::int64_t>> from_text(const std::vector<Tunable>& tunables,
                                                          std::string_view text);

}  // namespace kernatlas
