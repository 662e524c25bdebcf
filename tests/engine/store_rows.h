// Rows for the tests of the run database: made from their ticket alone, so that any process can say
// what a row must contain.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/store/run_database.h"
#include "kernel/rng.h"

namespace kernatlas::testing {

inline const std::vector<KernelSourcePtr>& some_sources() {
  static const std::vector<KernelSourcePtr> sources = [] {
    std::vector<KernelSourcePtr> made;
    for (const char* name : {"first", "second", "third"}) {
      std::string text = std::string("/*kernatlas\n[tune]\nBLOCK = [1, 2, 4]\n[[launch]]\n") +
                         "kernel = \"" + name + "\"\nargs = [\"x\"]\n*/\nextern \"C\" void " +
                         name + "(float* x, Block) { x[0] = 1; }\n";
      for (int line = 0; line < 20; ++line) text += "// a line that compresses well\n";
      auto parsed = KernelSource::parse(text, Language::cpp, std::string(name) + ".cpp");
      if (!parsed) throw std::runtime_error(parsed.error().text());
      made.push_back(*parsed);
    }
    return made;
  }();
  return sources;
}

// Mostly ordinary numbers, sometimes the ones that encodings get wrong.
inline double some_number(Rng& rng) {
  static const double odd[] = {0.0,
                               -0.0,
                               1.0,
                               -1.5,
                               5e-324,
                               1.7976931348623157e308,
                               std::numeric_limits<double>::infinity(),
                               -std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN(),
                               4503599627370497.0};
  if (uniform_below(rng, 4) == 0) return odd[uniform_below(rng, std::size(odd))];
  return std::ldexp(uniform01(rng) - 0.5, static_cast<int>(uniform_below(rng, 80)) - 40);
}

inline std::string some_text(Rng& rng, std::size_t longest) {
  std::string text;
  const std::size_t size = uniform_below(rng, longest + 1);
  const bool words = uniform_below(rng, 2) == 0;
  while (text.size() < size) {
    if (words) {
      text += "error: no member named 'load' ";
    } else {
      text += static_cast<char>(uniform_below(rng, 256));
    }
  }
  return text;
}

inline Outcome some_outcome(Rng& rng) {
  Outcome outcome;
  outcome.kind = static_cast<OutcomeKind>(uniform_below(rng, kOutcomeKinds));
  outcome.stage = static_cast<Stage>(uniform_below(rng, 8));
  outcome.fitness = some_number(rng);
  outcome.fitness_interval = {some_number(rng), some_number(rng)};
  for (std::uint64_t i = uniform_below(rng, 4); i > 0; --i) {
    WorkloadTime time;
    time.workload = static_cast<std::uint32_t>(rng());
    time.median_ns = some_number(rng);
    time.median_interval_ns = {some_number(rng), some_number(rng)};
    time.iqr_ns = some_number(rng);
    time.baseline_ns = some_number(rng);
    time.samples = static_cast<std::uint32_t>(rng() >> uniform_below(rng, 64));
    time.cut = rng() % 2 == 0;
    outcome.times.push_back(time);
  }
  for (std::uint64_t i = uniform_below(rng, 6); i > 0; --i) {
    const std::string name = "feature" + std::to_string(i);
    if (rng() % 2 == 0) {
      outcome.features.set(name, some_number(rng));
    } else {
      outcome.features.set(name, "label" + std::to_string(rng() % 5));
    }
  }
  outcome.accuracy = {some_number(rng), some_number(rng), some_number(rng),
                      some_number(rng), some_number(rng), static_cast<std::uint32_t>(rng() % 99)};
  outcome.costs = {uniform01(rng), uniform01(rng), uniform01(rng), uniform01(rng)};
  outcome.message = some_text(rng, 60);
  outcome.detail = rng() % 2 == 0 ? some_text(rng, 3000) : "";
  for (std::uint64_t i = uniform_below(rng, 3); i > 0; --i) {
    outcome.flags.push_back("flag" + std::to_string(rng() % 4));
  }
  if (rng() % 2 == 0) outcome.binary = {rng(), rng()};
  outcome.device = "device " + std::to_string(rng() % 2);
  return outcome;
}

inline SettledRow some_row(std::uint64_t ticket, std::uint64_t seed = 1) {
  Rng rng = stream(seed, 77, ticket);
  SettledRow row;
  row.ticket = ticket;
  row.candidate = {mix64(ticket), mix64(ticket + 1)};
  row.source = some_sources()[uniform_below(rng, some_sources().size())];
  row.assignment = "BLOCK=" + std::to_string(1u << uniform_below(rng, 3));
  row.options = rng() % 2 == 0 ? "" : "opt=O3 fast_math=1";
  row.op = "operator" + std::to_string(rng() % 5);
  for (std::uint64_t i = uniform_below(rng, 3); i > 0; --i) {
    row.parents.push_back(rng() % 8 == 0 ? rng() : uniform_below(rng, ticket + 1));
  }
  row.duplicates_before = static_cast<std::uint32_t>(uniform_below(rng, 4));
  row.outcome = some_outcome(rng);
  row.verdict.kind = static_cast<Verdict::Kind>(uniform_below(rng, 6));
  row.verdict.cell = rng() >> uniform_below(rng, 64);
  row.verdict.gain = some_number(rng);
  row.verdict.kept = uniform_below(rng, 8) == 0;
  if (rng() % 3 == 0) {
    Comparison comparison;
    comparison.finding = static_cast<Comparison::Finding>(uniform_below(rng, 4));
    comparison.log2_gain = some_number(rng);
    comparison.pairs = static_cast<std::uint32_t>(rng() % 100);
    comparison.wins = static_cast<std::uint32_t>(rng() % 100);
    comparison.message = some_text(rng, 30);
    row.verdict.comparison = comparison;
    row.verdict.compared_with = uniform_below(rng, ticket + 1);
  }
  row.settled_unix_ms = 1'800'000'000'000 + static_cast<std::int64_t>(ticket);
  // Columns of SQLite do not keep the sign of zero; x + 0 drops it here too.
  row.verdict.gain += 0.0;
  row.outcome.fitness += 0.0;
  row.outcome.fitness_interval.low += 0.0;
  row.outcome.fitness_interval.high += 0.0;
  return row;
}

// The same bits; any NaN is like any other.
inline bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
inline bool same(const Interval& a, const Interval& b) {
  return same(a.low, b.low) && same(a.high, b.high);
}

inline bool same(const WorkloadTime& a, const WorkloadTime& b) {
  return a.workload == b.workload && same(a.median_ns, b.median_ns) &&
         same(a.median_interval_ns, b.median_interval_ns) && same(a.iqr_ns, b.iqr_ns) &&
         same(a.baseline_ns, b.baseline_ns) && a.samples == b.samples && a.cut == b.cut;
}

inline bool same(const Features& a, const Features& b) {
  if (a.items().size() != b.items().size()) return false;
  for (std::size_t i = 0; i < a.items().size(); ++i) {
    const auto& [name_a, value_a] = a.items()[i];
    const auto& [name_b, value_b] = b.items()[i];
    if (name_a != name_b || value_a.index() != value_b.index()) return false;
    if (const double* number = std::get_if<double>(&value_a)) {
      if (!same(*number, std::get<double>(value_b))) return false;
    } else if (value_a != value_b) {
      return false;
    }
  }
  return true;
}

// Everything but the columns kind, fitness, interval, and the detail.
inline bool same_body(const Outcome& a, const Outcome& b) {
  if (a.times.size() != b.times.size()) return false;
  for (std::size_t i = 0; i < a.times.size(); ++i) {
    if (!same(a.times[i], b.times[i])) return false;
  }
  return a.stage == b.stage && same(a.features, b.features) &&
         same(a.accuracy.norm_error, b.accuracy.norm_error) &&
         same(a.accuracy.norm_limit, b.accuracy.norm_limit) &&
         same(a.accuracy.worst_error, b.accuracy.worst_error) &&
         same(a.accuracy.worst_limit, b.accuracy.worst_limit) &&
         same(a.accuracy.baseline_error, b.accuracy.baseline_error) &&
         a.accuracy.input_sets == b.accuracy.input_sets &&
         same(a.costs.compile_s, b.costs.compile_s) && same(a.costs.spawn_s, b.costs.spawn_s) &&
         same(a.costs.verify_s, b.costs.verify_s) && same(a.costs.time_s, b.costs.time_s) &&
         a.message == b.message && a.flags == b.flags && a.binary == b.binary &&
         a.device == b.device;
}

inline bool same(const Outcome& a, const Outcome& b) {
  return a.kind == b.kind && same(a.fitness, b.fitness) &&
         same(a.fitness_interval, b.fitness_interval) && a.detail == b.detail && same_body(a, b);
}

inline bool same(const Verdict& a, const Verdict& b) {
  if (a.kind != b.kind || a.cell != b.cell || !same(a.gain, b.gain) || a.kept != b.kept ||
      a.comparison.has_value() != b.comparison.has_value()) {
    return false;
  }
  if (!a.comparison) return true;
  return a.compared_with == b.compared_with && a.comparison->finding == b.comparison->finding &&
         same(a.comparison->log2_gain, b.comparison->log2_gain) &&
         a.comparison->pairs == b.comparison->pairs && a.comparison->wins == b.comparison->wins &&
         a.comparison->message == b.comparison->message;
}

inline bool same(const SettledRow& a, const SettledRow& b) {
  const bool same_source =
      a.source == b.source ||
      (a.source != nullptr && b.source != nullptr && a.source->text() == b.source->text() &&
       a.source->file() == b.source->file() && a.source->language() == b.source->language());
  return same_source && a.ticket == b.ticket && a.candidate == b.candidate &&
         a.assignment == b.assignment && a.options == b.options && a.op == b.op &&
         a.parents == b.parents && a.duplicates_before == b.duplicates_before &&
         same(a.outcome, b.outcome) && same(a.verdict, b.verdict) &&
         a.settled_unix_ms == b.settled_unix_ms;
}

inline RunInfo some_info() {
  RunInfo info;
  info.task = "softmax";
  info.task_hash = std::string(32, 'a');
  info.backend = "recorded";
  info.parameters_json = R"({"table":"x.csv"})";
  info.policy = "map-elites";
  info.seed = 0xfedc'ba98'7654'3210;
  info.ordered = true;
  info.window = 7;
  info.budget = "200e";
  info.contract = "device; driver";
  info.axes_json = "[]";
  info.options_json = "[1]";
  info.baselines_json = "[2]";
  info.archive_depth = 5;
  info.target_speedup = 0.1 + 0.2;
  info.stagnation = 1000;
  info.program_version = "0.1.0";
  info.created_unix = 1'800'000'000;
  return info;
}

}  // namespace kernatlas::testing
