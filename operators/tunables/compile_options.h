// Compile options as operators handle them: written out while being changed, short when proposed.
#pragma once

#include <vector>

#include "kernel/candidate.h"
#include "kernel/rng.h"

namespace kernatlas {

// A value per option: those given, or every option's first value when they are empty or do not
// belong to these options (another backend's).
[[nodiscard]] CompileOptions written_out(const std::vector<Tunable>& options,
                                         const CompileOptions& given);

// Empty when every option has its first value: one spelling for one meaning, or the same candidate
// would have two ids.
[[nodiscard]] CompileOptions shortened(const std::vector<Tunable>& options, CompileOptions values);

// A parent's options for its child: shortened, whoever wrote them.
[[nodiscard]] CompileOptions inherited(const std::vector<Tunable>& options,
                                       const CompileOptions& given);

// A uniformly random value for each option, shortened.
[[nodiscard]] CompileOptions random_options(const std::vector<Tunable>& options, Rng& rng);

}  // namespace kernatlas
