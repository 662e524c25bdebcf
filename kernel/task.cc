#include "kernel/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "kernel/identifiers.h"
#include "kernel/kernel_source.h"
#include "kernel/task_toml.h"
#include "kernel/text_file.h"

namespace kernatlas {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMaxTableBytes = 256u << 20;

// The folder's own name, also for "tasks/rmsnorm/" and ".".
std::string folder_name(const fs::path& folder) {
  std::error_code ignored;
  const fs::path real = fs::weakly_canonical(folder, ignored);
  return real.has_filename() ? real.filename().string() : real.parent_path().filename().string();
}

struct TaskLoader {
  TaskDraft draft;
  fs::path folder;
  std::string file;  // of task.toml
  Hash128 hash;

  Error error(int line, std::string message, std::string expected, std::string hint) const {
    return Error{.message = std::move(message),
                 .file = file,
                 .line = line,
                 .expected = std::move(expected),
                 .hint = std::move(hint)};
  }

  // Names and contents, not places: a copy of the folder elsewhere is the same task.
  void add_to_hash(const std::string& name, const Hash128& content) {
    hash = combine(hash, combine(hash128(name), content));
  }

  // A link may not lead out of the folder either: a task is complete when its folder is copied.
  Result<fs::path> locate(const TaskFile& named) const {
    const fs::path path = folder / named.path;
    std::error_code error_code;
    if (!fs::is_regular_file(path, error_code)) {
      return fail(error(named.line, fmt::format("the file {} does not exist", named.path),
                        fmt::format("a file in {}", folder.string()),
                        "paths are relative to the folder of task.toml"));
    }
    const fs::path inside =
        fs::canonical(path, error_code).lexically_relative(fs::canonical(folder, error_code));
    if (error_code || inside.empty() || *inside.begin() == "..") {
      return fail(error(named.line, fmt::format("{} is a link out of the folder", named.path),
                        "files inside the task's folder", "copy the file"));
    }
    return path;
  }

  Result<KernelSourcePtr> source(const TaskFile& named) {
    const auto path = locate(named);
    if (!path) return fail(path.error());
    if (!language_of(*path)) {
      return fail(error(named.line,
                        fmt::format("{} has not the ending of a kernel source", named.path),
                        ".cpp, .cu, .ptx, .cl, .spv or .py", {}));
    }
    auto loaded = KernelSource::load(*path);
    if (loaded) add_to_hash(fs::path(named.path).generic_string(), (*loaded)->hash());
    return loaded;
  }

  Result<void> load_reference() {
    auto loaded = source(*draft.reference);
    if (!loaded) return fail(std::move(loaded.error()));
    const KernelSource& reference = **loaded;
    const bool declares = !reference.tunables().empty() || !reference.constraints().empty() ||
                          !reference.workspaces().empty() || !reference.launches().empty();
    const auto words = identifiers_in(reference.text());
    Error problem{.file = reference.file(),
                  .line = 1,
                  .expected = "one function \"reference\", without front matter",
                  .hint = "docs/formats/task.md shows one"};
    if (reference.language() != Language::cpp) {
      problem.message = fmt::format("the reference is a {} source", name(reference.language()));
    } else if (declares) {
      problem.message = "the reference has front matter";
    } else if (std::find(words.begin(), words.end(), "reference") == words.end()) {
      problem.message = "the reference has no function \"reference\"";
    }
    if (!problem.message.empty()) return fail(std::move(problem));
    draft.task.reference = std::move(*loaded);
    return {};
  }

  Result<void> load_baselines() {
    for (std::size_t i = 0; i < draft.baselines.size(); ++i) {
      auto loaded = source(draft.baselines[i]);
      if (!loaded) return fail(std::move(loaded.error()));
      if (auto fits = (*loaded)->check_against(draft.task); !fits) return fits;
      draft.task.baselines[i].source = std::move(*loaded);
      for (std::string& include : draft.task.baselines[i].include_dirs) {
        include = (folder / include).string();  // an absolute one stays as it is
      }
    }
    return {};
  }

  Result<void> load_seeds() {
    std::vector<std::string> found;
    std::error_code error_code;
    for (const auto& entry : fs::directory_iterator(folder / "seeds", error_code)) {
      if (!entry.is_regular_file(error_code) || !language_of(entry.path())) continue;
      found.push_back(entry.path().filename().string());
    }
    std::sort(found.begin(), found.end());
    for (const std::string& seed : found) {
      auto loaded = source({"seeds/" + seed, 0});
      if (!loaded) return fail(std::move(loaded.error()));
      if (auto fits = (*loaded)->check_against(draft.task); !fits) return fits;
      draft.task.seeds.push_back(std::move(*loaded));
    }
    return {};
  }

  // An axis over a tunable places only candidates that have it.
  Result<void> check_axes() const {
    constexpr std::string_view kTune = "tune.";
    for (std::size_t i = 0; i < draft.task.axes.size(); ++i) {
      const std::string& feature = draft.task.axes[i].feature;
      if (feature.substr(0, kTune.size()) != kTune) continue;
      const std::string tunable = feature.substr(kTune.size());
      for (const auto& seed : draft.task.seeds) {
        const auto& all = seed->tunables();
        if (std::any_of(all.begin(), all.end(),
                        [&](const Tunable& t) { return t.name == tunable; })) {
          continue;
        }
        return fail(error(draft.axis_lines[i],
                          fmt::format("the axis {} needs a tunable {}, which {} has not", feature,
                                      tunable, seed->file()),
                          "a tunable that every seed declares", {}));
      }
    }
    return {};
  }

  Result<void> load_recorded() {
    const auto path = locate(*draft.recorded);
    if (!path) return fail(path.error());
    const auto bytes = read_bytes(*path, kMaxTableBytes);
    if (!bytes) return fail(bytes.error());
    add_to_hash(draft.recorded->path, hash128(*bytes));
    draft.task.recorded_table = *path;
    return {};
  }

  Result<void> load_all() {
    if (draft.recorded) return load_recorded();
    if (auto done = load_reference(); !done) return done;
    if (auto done = load_baselines(); !done) return done;
    if (auto done = load_seeds(); !done) return done;
    return check_axes();
  }
};

}  // namespace

Result<std::int64_t> Tensor::elements(const Dims& dims) const {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  std::int64_t count = 1;
  for (const Expression& expression : shape) {
    const auto size = expression.evaluate(dims);
    if (!size) {
      return fail({.message = fmt::format("the size \"{}\" of {}: {}", expression.text(), name,
                                          size.error().message),
                   .expected = size.error().expected});
    }
    if (*size < 1) {
      return fail(
          {.message = fmt::format("the size \"{}\" of {} is {}", expression.text(), name, *size),
           .expected = "a positive integer"});
    }
    if (count > kMost / *size) {
      return fail(
          {.message = fmt::format("{} is too large", name), .expected = "at most 2^53 elements"});
    }
    count *= *size;
  }
  return count;
}

Names Task::names_of(const Workload& workload) const {
  KERNATLAS_CHECK(workload.dims.size() == dims.size());
  Names names;
  for (std::size_t i = 0; i < dims.size(); ++i) names.set(dims[i], workload.dims[i]);
  return names;
}

std::vector<std::size_t> Task::workloads_with(WorkloadRole role) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    if (workloads[i].role == role) out.push_back(i);
  }
  return out;
}

Result<std::shared_ptr<const Task>> load_task(const fs::path& folder) {
  std::error_code ignored;
  const fs::path file = folder / "task.toml";
  if (!fs::is_regular_file(file, ignored)) {
    return fail({.message = "there is no task.toml",
                 .file = folder.string(),
                 .expected = "the folder of a task",
                 .hint = "`kernatlas tasks` lists the shipped ones"});
  }
  const auto text = read_bytes(file, kMaxTaskBytes);
  if (!text) return fail(text.error());
  auto draft = parse_task(*text, file.string());
  if (!draft) return fail(std::move(draft.error()));
  TaskLoader loader{std::move(*draft), folder, file.string(), hash128(*text)};
  loader.draft.task.name = folder_name(folder);
  loader.draft.task.folder = folder;
  if (auto loaded = loader.load_all(); !loaded) return fail(std::move(loaded.error()));
  loader.draft.task.hash = loader.hash;
  return std::make_shared<const Task>(std::move(loader.draft.task));
}

}  // namespace kernatlas
