// An elite of the cpp language as a C++ program of its own: kernel, float64 reference and plain
// baseline for every workload, generated inputs, a main that checks and times, and a Makefile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "kernel/candidate.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

// Writes into `out`, which must not exist or be empty: everything, or nothing.
[[nodiscard]] Result<void> export_cpp(const Task& task, const Candidate& candidate,
                                      const std::filesystem::path& out, const std::string& note);

// The program's main.cpp (tools/cpp_export/main.cpp).
[[nodiscard]] std::string_view exported_main_text();

}  // namespace kernatlas
