// The translation unit that is compiled for a candidate: our launchers, the macros, its text.
//
//   kernatlas_launch_<i> for each launch, calling the kernel by a name that is looked up later
//   #define of every dim and tunable
//   #line 1 "its file"
//   the candidate's text, whole, to the end of the unit
//
// The launchers come first, so nothing in the text (a macro named `Block` or `extern`, #undef,
// #pragma poison, an unterminated comment, #if or raw string) can change them: what is left open at
// the end of the text ends the unit, and the compiler says so. A definition of a launcher's name in
// the text is a redefinition. The call is a dependent one: the kernel is found by its Block
// argument (argument-dependent lookup) when the template is instantiated, at the end of the unit. A
// kernel that is missing, or whose parameters do not take the declared arguments, is therefore an
// error at the line of its [[launch]] in the candidate's own file, with a note at the function.
// Calls inline: it is one unit.
//
// A launch receives all buffers in one table: every input, then every output, then every workspace,
// in the order of the task and the source. Integer arguments are literals. A workspace has no type
// of its own: it converts to whatever pointer the kernel takes.
#pragma once

#include <string>
#include <vector>

#include "kernel/kernel_source.h"
#include "kernel/launch_plan.h"
#include "kernel/task.h"

namespace kernatlas {

struct LauncherSource {
  std::string text;                   // the unit; needs the prelude
  std::vector<std::string> launches;  // exported symbols, in launch order
  std::string file;                   // the candidate's file name, as in diagnostics
};

// "kernatlas_launch_3".
[[nodiscard]] std::string launch_symbol(std::size_t launch);

// `plan` must come from plan_launches() with the same task and source.
[[nodiscard]] LauncherSource make_launcher_source(const Task& task, const KernelSource& source,
                                                  const LaunchPlan& plan);

// The reference's unit: one launch of `reference(inputs…, outputs…)`, one point, floats as double,
// integers as std::int64_t; dims are macros.
[[nodiscard]] LauncherSource make_reference_source(const Task& task, const Workload& workload,
                                                   const KernelSource& reference);

}  // namespace kernatlas
