// Toolchain: the C++ compilers of this machine, and the flags that each compile option stands for.
//
// Candidates, baselines and references get the same code generation flags, so a difference in time
// is one of the program. docs/cpu-backend.md explains each flag. Immutable after find().
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/candidate.h"
#include "kernel/result.h"

namespace kernatlas {

struct CxxCompiler {
  std::string label;    // of the option "compiler": "gxx" or "clangxx"
  std::string program;  // "g++" or "clang++", looked up in PATH
  std::string version;  // "g++ 12.2.0"
  std::string runtime;  // path of libgcc.a, for helpers such as 128-bit division; may be empty
  bool is_clang = false;
  bool has_vector_math = false;                      // libmvec can be linked
  std::vector<std::filesystem::path> include_roots;  // where a candidate's headers may come from
};

class Toolchain {
 public:
  // Asks g++ and clang++, about 0.1 s. Error unavailable: neither is in PATH.
  [[nodiscard]] static Result<Toolchain> find(const std::filesystem::path& work_dir);

  [[nodiscard]] const std::vector<CxxCompiler>& compilers() const { return compilers_; }
  // The option space; first values are the defaults.
  [[nodiscard]] const std::vector<Tunable>& options() const { return options_; }
  // Empty when `options` is empty or has one declared value per option; else what is wrong.
  [[nodiscard]] std::string problem_with(const CompileOptions& options) const;

  // For valid options only:
  [[nodiscard]] const CxxCompiler& compiler_of(const CompileOptions& options) const;
  // Flags that decide about the generated code. Those of prelude_flags() first.
  [[nodiscard]] std::vector<std::string> code_flags(const CompileOptions& options) const;
  // The part of them that a precompiled prelude has to share.
  [[nodiscard]] std::vector<std::string> prelude_flags(const CompileOptions& options) const;

  // "g++ 12.2.0 -O3 -march=native".
  [[nodiscard]] std::string default_text() const;
  // Processor and versions: -march=native means another thing elsewhere.
  [[nodiscard]] const std::string& identity() const { return identity_; }

 private:
  [[nodiscard]] std::string_view label(const CompileOptions& options, std::string_view name) const;
  std::vector<CxxCompiler> compilers_;
  std::vector<Tunable> options_;
  std::string identity_;
};

}  // namespace kernatlas
