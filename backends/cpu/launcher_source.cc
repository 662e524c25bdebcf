#include "backends/cpu/launcher_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>

namespace kernatlas {

namespace {

// A workspace converts to any object pointer. kernel_is_not_defined is the parameter of a
// declaration beside each call: with it the compiler says that a kernel is missing, lists the
// kernel's parameters when they do not fit, and finds no library function by the name.
constexpr const char* kPreamble =
    "namespace kernatlas_launcher {\n"
    "struct kernel_is_not_defined {};\n"
    "struct Workspace {\n"
    "  void* data;\n"
    "  template <typename T> operator T*() const { return static_cast<T*>(data); }\n"
    "};\n"
    "}\n";

constexpr const char* kSignature =
    "extern \"C\" __attribute__((visibility(\"default\"))) void {}"
    "(void* const* buffers, std::int64_t begin, std::int64_t end)";

std::string integer_literal(std::int64_t value) {
  // The most negative number has no literal of its own: its digits alone do not fit.
  if (value == std::numeric_limits<std::int64_t>::min()) {
    return "std::int64_t{-9223372036854775807L - 1}";
  }
  return fmt::format("std::int64_t{{{}}}", value);
}

std::string macro_literal(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  return value < 0 ? fmt::format("({})", value) : std::to_string(value);
}

// A file name as it may stand between quotes in #line, and be written to a folder.
std::string quoted_name(const std::string& file) {
  std::string name = std::filesystem::path(file).filename().string();
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte == 0x7f) c = '_';
  }
  const bool usable = !name.empty() && name != "." && name != ".." && name.size() <= 200;
  return usable ? name : "kernel.cpp";
}

std::string from_table(std::string_view type, std::size_t slot) {
  return fmt::format("static_cast<{}*>(buffers[{}])", type, slot);
}

std::string argument_text(const Task& task, const Argument& argument) {
  const std::size_t outputs_at = task.inputs.size();
  const std::size_t workspaces_at = outputs_at + task.outputs.size();
  switch (argument.kind) {
    case Argument::Kind::input: {
      const Tensor& tensor = task.inputs.at(argument.index);
      const std::string type =
          fmt::format("{}{}", tensor.in_place ? "" : "const ", cpp_type(tensor.type));
      return from_table(type, argument.index);
    }
    case Argument::Kind::output:
      return from_table(cpp_type(task.outputs.at(argument.index).type),
                        outputs_at + argument.index);
    case Argument::Kind::workspace:
      return fmt::format("Workspace{{buffers[{}]}}", workspaces_at + argument.index);
    case Argument::Kind::integer:
      break;
  }
  return integer_literal(argument.value);
}

// The point's coordinates from its number; x is fastest. Divisions only where they are needed.
std::string block_text(const std::array<std::int64_t, 3>& grid) {
  if (grid[1] == 1 && grid[2] == 1) return "Block{i, 0, 0}";
  const std::string x = integer_literal(grid[0]);
  if (grid[2] == 1) return fmt::format("Block{{i % {0}, i / {0}, 0}}", x);
  const std::string y = integer_literal(grid[1]);
  return fmt::format("Block{{i % {0}, i / {0} % {1}, i / {0} / {1}}}", x, y);
}

// One physical line for the call, so that #line names the front matter's launch.
std::string launcher_text(const Task& task, const Launch& launch, std::size_t index,
                          const std::string& file, int line) {
  std::string arguments;
  for (const Argument& argument : launch.arguments) {
    arguments += argument_text(task, argument) + ", ";
  }
  std::string text = fmt::format("#line {} \"{}\"\n", line > 0 ? line : 1, file);
  text += fmt::format(
      "namespace kernatlas_launcher {{ void {0}(kernel_is_not_defined); template <typename At> "
      "inline __attribute__((always_inline)) void call_{1}([[maybe_unused]] void* const* buffers, "
      "At at) {{ {0}({2}at); }} }}\n",
      launch.kernel, index, arguments);
  text += fmt::format(fmt::runtime(kSignature), launch_symbol(index));
  text += fmt::format(
      " {{\n  for (std::int64_t i = begin; i < end; ++i) kernatlas_launcher::call_{}(buffers, {});"
      "\n}}\n",
      index, block_text(launch.grid));
  return text;
}

std::string macros_text(const std::vector<std::pair<std::string, std::int64_t>>& macros) {
  std::string text;
  for (const auto& [name, value] : macros) {
    text += fmt::format("#define {} {}\n", name, macro_literal(value));
  }
  return text;
}

std::string candidate_text(const KernelSource& source, const std::string& file) {
  std::string text = fmt::format("#line 1 \"{}\"\n", file) + source.text();
  if (text.back() != '\n') text += '\n';
  return text;
}

const char* reference_type(DType type) {
  return is_float(type) ? "double" : "std::int64_t";
}

}  // namespace

std::string launch_symbol(std::size_t launch) {
  return fmt::format("kernatlas_launch_{}", launch);
}

LauncherSource make_launcher_source(const Task& task, const KernelSource& source,
                                    const LaunchPlan& plan) {
  LauncherSource result;
  result.file = quoted_name(source.file());
  result.text = kPreamble;
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const int line = i < source.launches().size() ? source.launches()[i].line : 1;
    result.text += launcher_text(task, plan.launches[i], i, result.file, line);
    result.launches.push_back(launch_symbol(i));
  }
  result.text += macros_text(plan.macros);
  result.text += candidate_text(source, result.file);
  return result;
}

LauncherSource make_reference_source(const Task& task, const Workload& workload,
                                     const KernelSource& reference) {
  LauncherSource result;
  result.file = quoted_name(reference.file());
  std::string parameters;
  std::string arguments;
  std::size_t slot = 0;
  const auto add = [&](const Tensor& tensor, const char* qualifier) {
    const std::string type = fmt::format("{}{}", qualifier, reference_type(tensor.type));
    const char* separator = slot == 0 ? "" : ", ";
    parameters += fmt::format("{}{}*", separator, type);
    arguments += separator + from_table(type, slot++);
  };
  for (const Tensor& tensor : task.inputs) add(tensor, "const ");
  for (const Tensor& tensor : task.outputs) add(tensor, "");
  // All types are known here, so a plain declaration does: a mismatch is a conflict at the
  // reference's own line.
  result.text = fmt::format("extern \"C\" void reference({});\n", parameters);
  result.text += fmt::format(fmt::runtime(kSignature), launch_symbol(0));
  result.text += fmt::format(
      " {{\n  for (std::int64_t i = begin; i < end; ++i) reference({});\n}}\n", arguments);
  result.launches.push_back(launch_symbol(0));
  std::vector<std::pair<std::string, std::int64_t>> macros;
  for (std::size_t i = 0; i < task.dims.size(); ++i) {
    macros.emplace_back(task.dims[i], workload.dims.at(i));
  }
  result.text += macros_text(macros);
  result.text += candidate_text(reference, result.file);
  return result;
}

}  // namespace kernatlas
