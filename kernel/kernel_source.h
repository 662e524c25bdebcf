// KernelSource: program text in one language with its TOML front matter
// (docs/formats/kernel-source.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/expression.h"
#include "kernel/hash.h"
#include "kernel/result.h"

namespace kernatlas {

struct Task;

enum class Language { cpp, cuda, ptx, opencl, spirv, triton, python, recorded };
[[nodiscard]] std::string_view name(Language language);
// By file ending: .cpp .cu .ptx .cl .spv .py
[[nodiscard]] std::optional<Language> language_of(const std::filesystem::path& file);

// A tunable: an integer from a list, or a choice among labels. A choice's value is the index of its
// label; the compiler sees NAME as that index and NAME_label as the index of each label.
struct Tunable {
  std::string name;
  std::vector<std::int64_t> values;  // in the declared order; for a choice 0 … n-1
  std::vector<std::string> labels;   // empty unless it is a choice; else parallel to values
  int line = 0;                      // of the front matter; 0 for a backend's own options
  [[nodiscard]] bool is_choice() const { return !labels.empty(); }
  // "256", or the label.
  [[nodiscard]] std::string value_text(std::int64_t value) const;
  // NAME_label of each label: a macro in the source, a name in expressions. Empty unless a choice.
  [[nodiscard]] std::vector<std::string> label_names() const;
};

// A named condition on dims and tunables; an assignment is valid when all are non-zero for every
// workload of the task.
struct Constraint {
  std::string name;
  std::string text;
  int line = 0;
};

// A scratch buffer, sized in bytes, one per launch sequence. Contents are garbage before every use
// unless `zeroed`.
struct Workspace {
  std::string name;
  std::string bytes;
  bool zeroed = false;
  int line = 0;
};

// One kernel launch. Expressions are kept as text; kernel/launch_plan.h evaluates them.
struct LaunchSpec {
  std::string kernel;              // function name
  std::vector<std::string> grid;   // 1 to 3 expressions; absent means one block
  std::vector<std::string> block;  // GPU languages only
  std::string shared;              // bytes of dynamic on-chip memory; GPU languages only
  std::vector<std::string> args;   // names of tensors, workspaces, dims, or integer expressions
  int line = 0;
};

// Immutable; shared.
class KernelSource {
 public:
  // At most this much text, so many tunables with so many values each, launches, and so on.
  static constexpr std::size_t kMaxBytes = 1u << 20;
  static constexpr std::size_t kMaxTunables = 64;
  static constexpr std::size_t kMaxValues = 4096;
  static constexpr std::size_t kMaxConstraints = 256;
  static constexpr std::size_t kMaxWorkspaces = 64;
  static constexpr std::size_t kMaxLaunches = 64;
  static constexpr std::size_t kMaxArguments = 256;

  // `file` is used for error messages only. Languages without front matter support get an error.
  // A source without front matter is fine here: a reference has none.
  [[nodiscard]] static Result<std::shared_ptr<const KernelSource>> parse(std::string text,
                                                                         Language language,
                                                                         std::string file);
  [[nodiscard]] static Result<std::shared_ptr<const KernelSource>> load(
      const std::filesystem::path& file);

  [[nodiscard]] const std::string& text() const { return text_; }  // with the front matter
  [[nodiscard]] Language language() const { return language_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const Hash128& hash() const { return hash_; }  // of language and text
  [[nodiscard]] const std::vector<Tunable>& tunables() const { return tunables_; }
  [[nodiscard]] const std::vector<Constraint>& constraints() const { return constraints_; }
  [[nodiscard]] const std::vector<Workspace>& workspaces() const { return workspaces_; }
  [[nodiscard]] const std::vector<LaunchSpec>& launches() const { return launches_; }
  // Line of the first line after the front matter: compilers report positions in the whole text.
  [[nodiscard]] int body_line() const { return body_line_; }

  // Names, launches' arguments and expressions against a task: what parse() alone cannot know.
  // For seeds, baselines and proposals; a reference declares nothing and is not checked by it.
  [[nodiscard]] Result<void> check_against(const Task& task) const;

 private:
  KernelSource() = default;
  friend struct KernelSourceParser;
  std::string text_;
  Language language_ = Language::cpp;
  std::string file_;
  Hash128 hash_;
  std::vector<Tunable> tunables_;
  std::vector<Constraint> constraints_;
  std::vector<Workspace> workspaces_;
  std::vector<LaunchSpec> launches_;
  int body_line_ = 1;
};

using KernelSourcePtr = std::shared_ptr<const KernelSource>;

}  // namespace kernatlas
