#include "engine/search/from_atlas.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include <unordered_set>

#include "kernel/launch_plan.h"

namespace kernatlas {

namespace {

constexpr const char* kStateKey = "import.candidates";

std::string value_in(const archives::PayloadMap& payload, const char* name) {
  const auto found = payload.find(name);
  return found == payload.end() ? std::string() : found->second;
}

std::optional<Language> language_named(const std::string& text) {
  for (const Language each :
       {Language::cpp, Language::cuda, Language::ptx, Language::opencl, Language::spirv,
        Language::triton, Language::python, Language::recorded}) {
    if (name(each) == text) return each;
  }
  return std::nullopt;
}

// "O=3 fast=1" against this backend's options, one by one.
CompileOptions options_from(const std::string& text, const std::vector<Tunable>& options) {
  CompileOptions values;
  for (const Tunable& option : options) values.push_back(option.values.front());
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    for (std::size_t i = 0; i < options.size(); ++i) {
      if (auto value = from_text({options[i]}, word)) values[i] = value->front();
    }
  }
  return values;
}

Error unusable(std::string message) {
  return {.message = std::move(message),
          .hint = "atlases of kernels have payload values source, language and assignment"};
}

Result<void> check(const Candidate& candidate, const Task& task) {
  if (auto fits = candidate.source->check_against(task); !fits) return fits;
  if (is_valid(task, *candidate.source, candidate.assignment)) return {};
  return fail(unusable("its assignment is not valid for every workload of the task"));
}

class Import final : public Operator {
 public:
  explicit Import(std::vector<Candidate> candidates) : candidates_(std::move(candidates)) {}
  std::string_view name() const override { return kImportOperator; }
  std::string_view summary() const override {
    return "each elite of the archives that the run was started from";
  }

 protected:
  std::optional<Proposal> do_propose(const Surroundings& around, Rng&) override {
    const std::uint64_t seeds = around.task.seeds.size();
    if (around.ticket < seeds || around.ticket - seeds >= candidates_.size()) return std::nullopt;
    return Proposal{candidates_[around.ticket - seeds], {}};
  }

 private:
  std::vector<Candidate> candidates_;
};

}  // namespace

archives::PayloadMap candidate_payload(const Candidate& candidate,
                                       const std::vector<Tunable>& options) {
  const KernelSource& source = *candidate.source;
  archives::PayloadMap payload{{"source", source.text()},
                               {"language", std::string(name(source.language()))},
                               {"file", std::filesystem::path(source.file()).filename().string()},
                               {"assignment", to_text(source.tunables(), candidate.assignment)}};
  if (!candidate.options.empty()) payload["options"] = to_text(options, candidate.options);
  return payload;
}

Result<Candidate> candidate_from(const archives::PayloadMap& payload,
                                 const std::vector<Tunable>& options) {
  if (!payload.contains("source")) return fail(unusable("it has no source"));
  const std::string named = value_in(payload, "language");
  const auto language = language_named(named);
  if (!language) return fail(unusable(fmt::format("its language is \"{}\"", named)));
  const std::string file = value_in(payload, "file");
  auto source = KernelSource::parse(payload.find("source")->second, *language,
                                    file.empty() ? "imported" : file);
  if (!source) return fail(source.error());
  auto assignment = from_text((*source)->tunables(), value_in(payload, "assignment"));
  if (!assignment) return fail(assignment.error());
  return Candidate{*source, std::move(*assignment),
                   options_from(value_in(payload, "options"), options)};
}

Imports imports_of(const archives::Atlas& atlas, const Task& task,
                   const std::vector<Tunable>& options) {
  Imports imports;
  std::unordered_set<Hash128> known;
  std::map<Hash128, KernelSourcePtr> sources;  // one object for each text
  const auto take = [&](const archives::Payload& payload) {
    auto candidate = candidate_from(unpack(payload, atlas.blobs), options);
    Result<void> fits = candidate ? check(*candidate, task) : fail(candidate.error());
    if (!fits) {
      if (imports.skipped++ == 0) imports.reason = fits.error().text();
      return;
    }
    if (!known.insert(candidate->id()).second) return;
    const Hash128 hash = candidate->source->hash();
    candidate->source = sources.emplace(hash, candidate->source).first->second;
    imports.candidates.push_back(std::move(*candidate));
  };
  std::vector<std::size_t> order(atlas.state.elites.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return atlas.state.elites[a].entry.objective > atlas.state.elites[b].entry.objective;
  });
  for (const std::size_t i : order) take(atlas.records[i].payload);
  for (const archives::AtlasProposal& proposal : atlas.proposals) take(proposal.payload);
  return imports;
}

// The list is itself an atlas, of nothing but proposals.
Result<void> store_imports(RunDatabase& database, const std::vector<Candidate>& candidates,
                           const std::vector<Tunable>& options) {
  archives::Atlas atlas;
  atlas.state.spec.axes = {archives::Axis::linear("none", "", 0, 1, 1)};
  for (const Candidate& candidate : candidates) {
    atlas.proposals.push_back(
        {candidate.id().hex(), "", pack(candidate_payload(candidate, options), atlas.blobs)});
  }
  archives::TextSink sink;
  if (auto written = write_atlas(sink, atlas); !written) {
    return fail({.message = written.error().text()});
  }
  if (auto stored = database.put_state(kStateKey, sink.text()); !stored) return stored;
  return database.flush();
}

Result<std::vector<Candidate>> load_imports(const RunDatabase& database,
                                            const std::vector<Tunable>& options) {
  std::vector<Candidate> candidates;
  const auto stored = database.state(kStateKey);
  if (!stored) return candidates;
  archives::TextSource source(*stored);
  const auto atlas = read_atlas(source);
  if (!atlas) {
    return fail({.message = fmt::format("the run's state \"{}\" is damaged: {}", kStateKey,
                                        atlas.error().text())});
  }
  std::map<Hash128, KernelSourcePtr> sources;
  for (const archives::AtlasProposal& proposal : atlas->proposals) {
    auto candidate = candidate_from(unpack(proposal.payload, atlas->blobs), options);
    if (!candidate) return fail(candidate.error());
    const Hash128 hash = candidate->source->hash();
    candidate->source = sources.emplace(hash, candidate->source).first->second;
    candidates.push_back(std::move(*candidate));
  }
  return candidates;
}

std::unique_ptr<Operator> make_import(std::vector<Candidate> candidates) {
  return std::make_unique<Import>(std::move(candidates));
}

std::uint64_t foreign_candidates(const std::vector<Candidate>& candidates, const Task& task) {
  const auto is_seed = [&](const Candidate& candidate) {
    return std::any_of(task.seeds.begin(), task.seeds.end(), [&](const KernelSourcePtr& seed) {
      return seed->hash() == candidate.source->hash();
    });
  };
  return static_cast<std::uint64_t>(
      candidates.size() -
      static_cast<std::size_t>(std::count_if(candidates.begin(), candidates.end(), is_seed)));
}

}  // namespace kernatlas
