#include "backends/recorded/recorded_backend.h"

#include <fmt/core.h>

#include "backends/recorded/recorded_options.h"
#include "backends/recorded/recorded_table.h"
#include "backends/recorded/recorded_task.h"
#include "backends/recorded/replay.h"

namespace kernatlas {

namespace {

constexpr std::uint64_t kEvaluatePurpose = 0x6576616c75617465;
constexpr std::uint64_t kExaminePurpose = 0x6578616d696e65;
constexpr int kDeviceLimit = 1024;

Outcome not_in_the_table(const Replay& replay) {
  Outcome outcome;
  outcome.kind = OutcomeKind::compile_error;
  outcome.stage = Stage::compile;
  outcome.message = "not in the table";
  outcome.device = replay.device;
  return outcome;
}

class RecordedCompiler final : public Compiler {
 public:
  explicit RecordedCompiler(const Replay& replay) : replay_(replay) {}

  tl::expected<CompiledPtr, Outcome> compile(const Candidate& candidate) override {
    const auto row = replay_.table.find(candidate.assignment);
    if (!row) return tl::unexpected(not_in_the_table(replay_));
    const RecordedRow& recorded = replay_.table.rows()[*row];
    if (recorded.kind == OutcomeKind::compile_error) {
      Outcome outcome = not_in_the_table(replay_);
      outcome.message = "recorded as a failure";
      outcome.costs.compile_s = recorded.compile_ms / 1e3;
      outcome.costs.spawn_s = recorded.overhead_ms / 1e3;
      return tl::unexpected(std::move(outcome));
    }
    auto compiled = std::make_shared<Compiled>();
    const Hash128& table = replay_.table.hash();
    compiled->binary = {mix64(table.high ^ *row), mix64(table.low + *row)};
    compiled->compile_s = recorded.compile_ms / 1e3;
    return compiled;
  }
  int concurrency() const override { return 1; }

 private:
  const Replay& replay_;
};

class RecordedEvaluator final : public Evaluator {
 public:
  RecordedEvaluator(const Replay& replay, DeviceInfo info)
      : replay_(replay), info_(std::move(info)) {}

  Outcome evaluate(const Candidate& candidate, const Compiled& compiled, std::uint64_t ticket,
                   const std::optional<Incumbent>&) override {
    return run(candidate, compiled, ticket, kEvaluatePurpose);
  }
  Outcome examine(const Candidate& candidate, const Compiled& compiled,
                  std::uint64_t ticket) override {
    return run(candidate, compiled, ticket, kExaminePurpose);
  }
  Comparison compare(const Candidate& challenger, const Compiled&, const Candidate& incumbent,
                     const Compiled&, std::uint64_t ticket) override {
    const auto a = replay_.table.find(challenger.assignment);
    const auto b = replay_.table.find(incumbent.assignment);
    if (a && b) return replay_comparison(replay_, *a, *b, ticket);
    Comparison failed;
    failed.message = "not in the table";
    return failed;
  }
  DeviceInfo info() const override { return info_; }

 private:
  Outcome run(const Candidate& candidate, const Compiled& compiled, std::uint64_t ticket,
              std::uint64_t purpose) const {
    const auto row = replay_.table.find(candidate.assignment);
    if (!row) return not_in_the_table(replay_);
    Outcome outcome = replay_row(replay_, *row, ticket, purpose);
    outcome.features = compiled.features;
    outcome.binary = compiled.binary;
    return outcome;
  }

  const Replay& replay_;
  DeviceInfo info_;
};

DeviceInfo device_info(const std::string& task, const RecordedOptions& options, int index) {
  DeviceInfo info;
  info.model = "recorded " + task;
  info.index = index;
  info.conditions = fmt::format("noise={}", options.noise);
  return info;
}

class RecordedBench final : public Bench {
 public:
  RecordedBench(const std::string& task, Replay replay, int devices)
      : replay_(std::move(replay)), compiler_(replay_), axes_(recorded_axes(replay_.table)) {
    replay_.device = device_info(task, replay_.options, 0).contract_text();
    for (int i = 0; i < devices; ++i) {
      evaluators_.push_back(
          std::make_unique<RecordedEvaluator>(replay_, device_info(task, replay_.options, i)));
    }
    baselines_.push_back({.name = "median of the table",
                          .median_ns = {replay_.table.baseline_ms() * 1e6},
                          .unavailable = ""});
  }

  Compiler& compiler() override { return compiler_; }
  std::vector<Evaluator*> evaluators() override {
    std::vector<Evaluator*> all;
    for (const auto& evaluator : evaluators_) all.push_back(evaluator.get());
    return all;
  }
  const std::vector<Tunable>& options() const override { return options_; }
  std::vector<AxisRequest> default_axes() const override { return axes_; }
  const std::vector<BaselineTime>& baselines() const override { return baselines_; }
  bool deterministic() const override { return true; }

 private:
  Replay replay_;
  RecordedCompiler compiler_;
  std::vector<std::unique_ptr<RecordedEvaluator>> evaluators_;
  std::vector<Tunable> options_;
  std::vector<AxisRequest> axes_;
  std::vector<BaselineTime> baselines_;
};

std::string table_of(const Task& task, const RecordedOptions& options) {
  if (!options.table.empty()) return options.table;
  if (!task.recorded_table.empty()) return task.recorded_table.string();
  for (const auto& seed : task.seeds) {
    if (seed->language() == Language::recorded) return seed->file();
  }
  return {};
}

// A task may be replayed with another table of the same space, never with one of another space.
Result<void> check_same_space(const Task& task, const RecordedTable& table,
                              const std::string& file) {
  for (const auto& seed : task.seeds) {
    bool same = seed->tunables().size() == table.tunables().size();
    for (std::size_t i = 0; same && i < table.tunables().size(); ++i) {
      const Tunable& a = seed->tunables()[i];
      const Tunable& b = table.tunables()[i];
      same = a.name == b.name && a.labels == b.labels;
    }
    if (same) continue;
    return fail({.message = "the table's tunables are not those of the task's kernel",
                 .file = file,
                 .line = 1,
                 .expected = fmt::format("the columns that {} declares", seed->file())});
  }
  return {};
}

class RecordedBackend final : public Backend {
 public:
  std::string name() const override { return "recorded"; }
  std::vector<Language> languages() const override { return {Language::recorded}; }
  std::optional<Error> unavailable() const override { return std::nullopt; }
  std::vector<Check> diagnose() const override {
    return {{Check::State::on, "replay", "needs no device"}};
  }
  std::map<std::string, std::string> parameters() const override {
    return RecordedOptions::descriptions();
  }

  Result<std::unique_ptr<Bench>> open(std::shared_ptr<const Task> task,
                                      const BenchOptions& options) const override {
    auto parsed = RecordedOptions::parse(options.parameters);
    if (!parsed) return fail(parsed.error());
    const std::string file = table_of(*task, *parsed);
    if (!task->recorded_table.empty() && task->seeds.empty()) {
      // A programmer's slip, but one that would look like an empty search space.
      return fail({.code = ErrorCode::internal,
                   .message = "the recorded task has not been completed from its table"});
    }
    if (file.empty()) {
      return fail({.message = fmt::format("task {} names no table to replay", task->name),
                   .hint = "run on the table itself, or give the parameter table=FILE.csv.gz"});
    }
    if (options.devices < 0 || options.devices > kDeviceLimit) {
      return fail({.message = fmt::format("{} simulated devices", options.devices),
                   .expected = fmt::format("1 to {}", kDeviceLimit)});
    }
    auto table = RecordedTable::load(file);
    if (!table) return fail(table.error());
    if (auto same = check_same_space(*task, *table, file); !same) return fail(same.error());
    return std::make_unique<RecordedBench>(task->name,
                                           Replay{.table = std::move(*table),
                                                  .options = std::move(*parsed),
                                                  .seed = options.seed,
                                                  .cancel = options.cancel,
                                                  .device = ""},
                                           std::max(1, options.devices));
  }
};

}  // namespace

std::unique_ptr<Backend> make_recorded_backend() {
  return std::make_unique<RecordedBackend>();
}

}  // namespace kernatlas
