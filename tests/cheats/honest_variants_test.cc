// The other side of the cheats: hundreds of honest variants of the shipped kernels, none of which
// may be rejected. Every variant meets several benches, each with secrets of its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "backends/cpu/cpu_backend.h"
#include "operators/tunables/search_space.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

constexpr std::uint64_t kSeed = 20240607;  // of the sample, not of the secrets
constexpr std::size_t kVariants = 85;      // per task: more than 500 in all
constexpr int kVerifyingBenches = 1;       // and one that times as well

struct Variant {
  Candidate candidate;
  std::string text;
  CompiledPtr code;
  std::string failure;  // of the compilation
};

// What is inaccurate by its own description may be found wrong.
bool may_be_inaccurate(const Variant& variant) {
  return variant.text.find("EXP_DEGREE=4") != std::string::npos ||
         variant.text.find("fast_math=full") != std::string::npos;
}

std::unique_ptr<Bench> open(const std::shared_ptr<const Task>& task, bool timed) {
  BenchOptions options;
  options.cache_dir = bin_dir().parent_path() / "tests" / "compiled-cheats";
  options.parameters = {{"time_s", "0.005"}, {"verify_only", timed ? "0" : "1"}};
  auto bench = make_cpu_backend()->open(task, options);
  const std::string problem = bench ? std::string() : bench.error().text();
  REQUIRE_MESSAGE(bench, problem);
  return std::move(*bench);
}

// A few combinations only: each needs a precompiled prelude of its own.
std::vector<CompileOptions> option_sets(const std::vector<Tunable>& options) {
  std::vector<CompileOptions> sets = {CompileOptions(options.size(), 0)};
  for (std::size_t i = 0; i < options.size(); ++i) {
    for (const std::int64_t value : options[i].values) {
      if (value == 0) continue;
      CompileOptions set(options.size(), 0);
      set[i] = value;
      sets.push_back(std::move(set));
    }
  }
  return sets;
}

// Different ones: the defaults of every seed, then samples, seeds and options in turn.
std::vector<Variant> sample_variants(const std::shared_ptr<const Task>& task,
                                     const std::vector<Tunable>& options) {
  Rng rng(kSeed);
  const auto sets = option_sets(options);
  std::vector<SearchSpace> spaces;
  for (const KernelSourcePtr& seed : task->seeds) spaces.emplace_back(task, seed, options);
  std::vector<Variant> variants;
  std::vector<std::string> seen;
  for (std::size_t i = 0; variants.size() < kVariants && i < 100 * kVariants; ++i) {
    const SearchSpace& space = spaces[i % spaces.size()];
    Variant variant;
    variant.candidate.source = space.source();
    const bool first = i < spaces.size();
    const auto assignment = first ? space.first() : space.sample(rng);
    REQUIRE(assignment);
    variant.candidate.assignment = *assignment;
    variant.candidate.options =
        first || i % 3 != 0 ? sets.front() : sets[uniform_below(rng, sets.size())];
    variant.text = space.source()->file() + ": " +
                   to_text(space.source()->tunables(), variant.candidate.assignment) + " " +
                   to_text(options, variant.candidate.options);
    if (std::find(seen.begin(), seen.end(), variant.text) != seen.end()) continue;
    seen.push_back(variant.text);
    variants.push_back(std::move(variant));
  }
  return variants;
}

void compile_all(Compiler& compiler, std::vector<Variant>& variants) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < variants.size(); i = next++) {
      auto code = compiler.compile(variants[i].candidate);
      if (code) {
        variants[i].code = *code;
      } else {
        variants[i].failure = code.error().message + "\n" + code.error().detail;
      }
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < compiler.concurrency(); ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}

struct Count {
  std::size_t accepted = 0;
  std::size_t inaccurate = 0;
};

void evaluate_all(Bench& bench, const std::vector<Variant>& variants, Count& count) {
  for (const Variant& variant : variants) {
    if (!variant.code) continue;
    const Outcome outcome =
        bench.evaluators().front()->evaluate(variant.candidate, *variant.code, 1, std::nullopt);
    if (outcome.measured()) {
      ++count.accepted;
    } else if (outcome.kind == OutcomeKind::wrong_result && may_be_inaccurate(variant)) {
      ++count.inaccurate;
    } else {
      CAPTURE(variant.text);
      FAIL_CHECK(name(outcome.kind) << ": " << outcome.message << "\n" << outcome.detail);
    }
  }
}

void accept_all(const std::string& name) {
  const auto task = load_task(source_dir() / "tasks" / name);
  const std::string problem = task ? std::string() : task.error().text();
  REQUIRE_MESSAGE(task, problem);
  auto bench = open(*task, true);
  std::vector<Variant> variants = sample_variants(*task, bench->options());
  compile_all(bench->compiler(), variants);
  for (const Variant& variant : variants) {
    CAPTURE(variant.text);
    CHECK_MESSAGE(variant.code, variant.failure);
  }
  Count count;
  evaluate_all(*bench, variants, count);
  for (int i = 0; i < kVerifyingBenches; ++i) {
    bench = open(*task, false);
    evaluate_all(*bench, variants, count);
  }
  MESSAGE(name << ": " << variants.size() << " variants, accepted " << count.accepted
               << " times, found inaccurate as announced " << count.inaccurate << " times");
  CHECK(variants.size() == kVariants);
  CHECK(count.accepted + count.inaccurate == kVariants * (1 + kVerifyingBenches));
  CHECK(count.inaccurate <= count.accepted / 2);
}

}  // namespace

TEST_CASE("honest variants of softmax") {
  accept_all("softmax");
}
TEST_CASE("honest variants of matmul") {
  accept_all("matmul");
}
TEST_CASE("honest variants of rmsnorm") {
  accept_all("rmsnorm");
}
TEST_CASE("honest variants of attention") {
  accept_all("attention");
}
TEST_CASE("honest variants of histogram") {
  accept_all("histogram");
}
TEST_CASE("honest variants of stencil3d") {
  accept_all("stencil3d");
}
