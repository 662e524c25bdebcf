// Features of kernels compiled for real: what they say, and what must not change them.
#include "backends/cpu/object_features.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <vector>

#include "tests/backends/cpu/cpu_test_support.h"
#include "tests/backends/cpu/feature_kernels.h"
#include "tests/support/skip.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

Features features_of(const std::string& body, const std::string& options = "") {
  CpuCompiler& compiler = search_compiler();
  const auto compiled =
      compiler.compile(candidate_of(one_launch(body), options_of(compiler, options)));
  const std::string problem = compiled ? "" : compiled.error().message + compiled.error().detail;
  REQUIRE_MESSAGE(compiled, problem);
  return (*compiled)->features;
}

std::string text_of(const Features& features, const char* name) {
  const FeatureValue* value = features.find(name);
  REQUIRE(value != nullptr);
  return std::get<std::string>(*value);
}

double number_of(const Features& features, const char* name) {
  const FeatureValue* value = features.find(name);
  REQUIRE(value != nullptr);
  return std::get<double>(*value);
}

std::string summary(const Features& features) {
  std::string text;
  for (const auto& [name, value] : features.items()) {
    text += name + "=";
    text += std::holds_alternative<double>(value) ? std::to_string(std::get<double>(value))
                                                  : std::get<std::string>(value);
    text += " ";
  }
  return text;
}

const std::string& kernel(const std::string& wanted) {
  for (const auto& [name, body] : feature_kernels()) {
    if (name == wanted) return body;
  }
  FAIL("no kernel is called " << wanted);
  return wanted;
}

std::string without_comments(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      i = std::min(text.find('\n', i), text.size());
    } else if (text.compare(i, 2, "/*") == 0) {
      i = text.find("*/", i) + 2;
      out += ' ';
    } else {
      out += text[i++];
    }
  }
  return out;
}

// Every identifier that the kernels themselves introduce gets another, longer name; the order of
// the new names is not that of the old ones.
std::string renamed(const std::string& text) {
  static const std::set<std::string> own = {
      "x",   "w",     "y",    "at",    "i",    "j",       "r",     "row",    "out",     "carry",
      "sum", "value", "sums", "first", "term", "weights", "index", "values", "product", "counts"};
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    // Members of Block keep their names: `at.x`.
    const bool member = i > 0 && text[i - 1] == '.';
    out += own.contains(word) && !member ? "v" + std::string(word.rbegin(), word.rend()) + "_new"
                                         : word;
    i = end;
  }
  return out;
}

// One token run a line.
std::string reindented(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == ' ' ? '\n' : c;
  return out;
}

}  // namespace

TEST_CASE("structure decides: each kernel has the features of its kind") {
  struct Expectation {
    const char* kernel;
    std::set<std::string> widths;
    const char* memory;
  };
  const std::set<std::string> wide = {"256", "512"};
  const std::vector<Expectation> expectations = {
      {"scalar chain", {"none"}, "scalar"}, {"vector product", wide, "vector"},
      {"polynomial", wide, "vector"},       {"gather", {"256"}, "gather"},
      {"streaming", {"256"}, "streaming"},  {"prefetch", wide, "prefetch"},
      {"register tile", {"256"}, "vector"}, {"sse", {"128"}, "vector"},
      {"library calls", {"none"}, "scalar"}};
  for (const Expectation& expected : expectations) {
    CAPTURE(expected.kernel);
    const Features features = features_of(kernel(expected.kernel));
    CAPTURE(summary(features));
    CHECK(expected.widths.contains(text_of(features, "vector_width")));
    CHECK(text_of(features, "memory") == expected.memory);
  }
}

TEST_CASE("numbers of features follow the code") {
  const Features chain = features_of(kernel("scalar chain"));
  const Features polynomial = features_of(kernel("polynomial"));
  const Features tile = features_of(kernel("register tile"));
  const Features calls = features_of(kernel("library calls"));
  CHECK(number_of(chain, "intensity") < 1);
  CHECK(number_of(polynomial, "intensity") > 2 * number_of(chain, "intensity"));
  CHECK(number_of(tile, "intensity") > number_of(features_of(kernel("streaming")), "intensity"));
  CHECK(text_of(tile, "fma") == "yes");
  CHECK(text_of(features_of(kernel("sse")), "fma") == "no");
  CHECK(number_of(calls, "calls") >= 1);
  CHECK(number_of(chain, "calls") == 0);
  CHECK(number_of(chain, "loops") == 2);  // the launcher's and the kernel's
  CHECK(number_of(chain, "grid_points") == 64);
  CHECK(number_of(chain, "launches") == 1);
  CHECK(number_of(chain, "workspace_bytes") == 0);
  const Features unrolled = features_of(kernel("scalar chain"), "unroll=on");
  CHECK(number_of(unrolled, "code_bytes") > number_of(chain, "code_bytes"));
}

TEST_CASE("comments, names and layout never move a kernel") {
  std::vector<std::string> settings = {"", "fast_math=full unroll=on"};
  if (has_compiler(search_compiler(), "clangxx")) settings.emplace_back("compiler=clangxx");
  for (const auto& [name, body] : feature_kernels()) {
    const auto& kernel = name;
    CAPTURE(kernel);
    for (const std::string& setting : settings) {
      CAPTURE(setting);
      const std::string original = summary(features_of(body, setting));
      CHECK(summary(features_of(renamed(body), setting)) == original);
      CHECK(summary(features_of(reindented(renamed(without_comments(body))), setting)) == original);
    }
  }
}

TEST_CASE("a wider preference moves a kernel along the width axis") {
  const std::string& body = kernel("vector product");
  if (options_of(search_compiler(), "vector_width=512").empty()) {
    skip("no AVX-512 here");
    return;
  }
  CHECK(text_of(features_of(body, "vector_width=256"), "vector_width") == "256");
  CHECK(text_of(features_of(body, "vector_width=512"), "vector_width") == "512");
}

TEST_CASE("the default axes use features that exist, with every label that occurs") {
  std::size_t cells = 1;
  std::set<std::string> seen;
  const Features features = features_of(kernel("sum"));
  for (const AxisRequest& axis : cpu_default_axes()) {
    CAPTURE(axis.feature);
    const FeatureValue* value = features.find(axis.feature);
    REQUIRE(value != nullptr);
    CHECK(seen.insert(axis.feature).second);
    if (axis.scale == "categorical") {
      CHECK(std::count(axis.labels.begin(), axis.labels.end(), std::get<std::string>(*value)) == 1);
      cells *= axis.labels.size();
    } else {
      CHECK(std::is_sorted(axis.edges.begin(), axis.edges.end()));
      CHECK(std::get<double>(*value) >= axis.edges.front());
      CHECK(std::get<double>(*value) <= axis.edges.back());
      cells *= axis.edges.size() - 1;
    }
  }
  CHECK(cells >= 60);
  CHECK(cells <= 120);
}

TEST_CASE("kernels of different structure fall into different cells") {
  std::set<std::string> cells;
  for (const char* name :
       {"scalar chain", "vector product", "polynomial", "gather", "streaming", "prefetch", "sse"}) {
    const Features features = features_of(kernel(name));
    std::string cell;
    for (const AxisRequest& axis : cpu_default_axes()) {
      if (axis.scale == "categorical") {
        cell += text_of(features, axis.feature.c_str()) + "/";
      } else {
        const double value = number_of(features, axis.feature.c_str());
        cell += std::to_string(std::upper_bound(axis.edges.begin(), axis.edges.end(), value) -
                               axis.edges.begin());
      }
    }
    CAPTURE(name);
    CAPTURE(cell);
    CHECK(cells.insert(cell).second);
  }
}
