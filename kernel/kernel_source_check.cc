// KernelSource::check_against: what a front matter says, against the task it is written for.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernel/identifiers.h"
#include "kernel/kernel_source.h"
#include "kernel/launch_plan.h"
#include "kernel/suggest.h"
#include "kernel/task.h"
#include "kernel/toml_reader.h"

namespace kernatlas {

namespace {

struct SourceCheck {
  const KernelSource& source;
  const Task& task;
  TomlReader reader{source.file()};
  std::vector<std::string> known = expression_names(task, source);
  std::vector<std::string> buffers{};  // what a launch may pass besides expressions

  void run() {
    for (const Tensor& tensor : task.inputs) buffers.push_back(tensor.name);
    for (const Tensor& tensor : task.outputs) buffers.push_back(tensor.name);
    for (const Workspace& workspace : source.workspaces()) buffers.push_back(workspace.name);
    check_names();
    for (const Constraint& constraint : source.constraints()) {
      check_expression(constraint.line, constraint.text,
                       fmt::format("the constraint {}", constraint.name));
    }
    for (const Workspace& workspace : source.workspaces()) {
      check_expression(workspace.line, workspace.bytes,
                       fmt::format("the workspace {}", workspace.name));
    }
    for (const LaunchSpec& launch : source.launches()) check_launch(launch);
    if (source.language() != Language::recorded) check_outputs();
  }

  void check_names() {
    NameTable names;
    for (const std::string& dim : task.dims) (void)names.add(dim, "a dim of the task");
    const auto claim = [&](const std::string& name, int line, const std::string& what) {
      if (const auto taken = names.add(name, what)) {
        reader.complain(line, fmt::format("the {} {} has the name of {}", what, name, *taken),
                        "names that differ");
      }
    };
    for (const LaunchSpec& launch : source.launches()) {
      const auto& dims = task.dims;
      if (std::find(dims.begin(), dims.end(), launch.kernel) == dims.end()) continue;
      reader.complain(launch.line,
                      fmt::format("the kernel {} has the name of a dim of the task", launch.kernel),
                      "names that differ", "dims are macros: they would replace the name");
    }
    for (const Tensor& tensor : task.inputs) (void)names.add(tensor.name, "an input of the task");
    for (const Tensor& tensor : task.outputs) (void)names.add(tensor.name, "an output of the task");
    for (const Tunable& tunable : source.tunables()) {
      claim(tunable.name, tunable.line, "tunable");
      for (const std::string& name : tunable.label_names()) claim(name, tunable.line, "label");
    }
    for (const Workspace& workspace : source.workspaces()) {
      claim(workspace.name, workspace.line, "workspace");
    }
  }

  void check_expression(int line, const std::string& text, const std::string& where) {
    for (const std::string& name : identifiers_in(text)) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        complain_unknown(line, name, text, where, false);
      }
    }
    auto parsed = Expression::parse(text, known);
    if (!parsed) {
      parsed.error().message = fmt::format("{}: {}", where, parsed.error().message);
      reader.complain(line, std::move(parsed.error()));
    }
  }

  void complain_unknown(int line, const std::string& name, const std::string& text,
                        const std::string& where, bool argument) {
    std::vector<std::string> candidates = known;
    if (argument) candidates.insert(candidates.end(), buffers.begin(), buffers.end());
    std::string hint = suggest(name, candidates);
    if (!argument && std::find(buffers.begin(), buffers.end(), name) != buffers.end()) {
      hint = fmt::format("{} is a buffer: only \"args\" may name it", name);
    }
    reader.complain(line, fmt::format("unknown name {} in \"{}\", {}", name, text, where),
                    argument ? "a tensor, a workspace, or an expression over dims and tunables"
                             : "an expression over dims and tunables",
                    hint);
  }

  void check_launch(const LaunchSpec& launch) {
    const std::string where = fmt::format("the launch of {}", launch.kernel);
    for (const std::string& text : launch.grid) {
      check_expression(launch.line, text, "grid of " + where);
    }
    for (const std::string& text : launch.block) {
      check_expression(launch.line, text, "block of " + where);
    }
    if (!launch.shared.empty()) {
      check_expression(launch.line, launch.shared, "shared of " + where);
    }
    for (const std::string& text : launch.args) {
      if (std::find(buffers.begin(), buffers.end(), text) != buffers.end()) continue;
      if (is_identifier(text) && std::find(known.begin(), known.end(), text) == known.end()) {
        complain_unknown(launch.line, text, text, "args of " + where, true);
      }
      check_expression(launch.line, text, "args of " + where);
    }
  }

  void check_outputs() {
    if (source.launches().empty()) {
      reader.complain(1, "the source has no [[launch]]",
                      "a front matter that says which function to launch",
                      "begin the file with a comment: /*kernatlas … [[launch]] kernel = \"…\" "
                      "args = [\"…\"] */ (docs/formats/kernel-source.md)");
      return;
    }
    std::set<std::string> passed;
    for (const LaunchSpec& launch : source.launches()) {
      passed.insert(launch.args.begin(), launch.args.end());
    }
    for (const Tensor& output : task.outputs) {
      if (passed.contains(output.name)) continue;
      reader.complain(source.launches().front().line,
                      fmt::format("no launch gets the output {}", output.name),
                      fmt::format("\"{}\" among the args of a [[launch]]", output.name));
    }
  }
};

}  // namespace

Result<void> KernelSource::check_against(const Task& task) const {
  SourceCheck check{*this, task};
  check.run();
  if (check.reader.error()) return fail(*check.reader.error());
  return {};
}

}  // namespace kernatlas
