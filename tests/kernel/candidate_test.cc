#include "kernel/candidate.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "kernel/rng.h"

using namespace kernatlas;

namespace {

const std::vector<Tunable> kTunables = {
    {.name = "BLOCK", .values = {64, 128, 256}, .labels = {}},
    {.name = "SHIFT", .values = {-1, 0, 1}, .labels = {}},
    {.name = "ORDER", .values = {0, 1}, .labels = {"rows", "cols"}},
};

std::string error_of(std::string_view text) {
  const auto values = from_text(kTunables, text);
  REQUIRE_FALSE(values);
  return values.error().text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

KernelSourcePtr source_of(const std::string& body) {
  const std::string front =
      "/*kernatlas\n[[launch]]\nkernel = \"f\"\ngrid = [\"1\"]\nargs = [\"1\"]\n*/\n";
  auto source = KernelSource::parse(front + body, Language::cpp, "test.cpp");
  REQUIRE_MESSAGE(source, source.error().text());
  return *source;
}

}  // namespace

TEST_CASE("assignments as text and back") {
  const std::vector<std::int64_t> values = {128, -1, 1};
  CHECK(to_text(kTunables, values) == "BLOCK=128 SHIFT=-1 ORDER=cols");
  CHECK(from_text(kTunables, "BLOCK=128 SHIFT=-1 ORDER=cols").value() == values);
  CHECK(from_text(kTunables, "  ORDER=cols\n SHIFT=-1\tBLOCK=128 ").value() == values);
  CHECK(to_text({}, {}).empty());
  CHECK(from_text({}, "").value().empty());
  CHECK(from_text({}, " \n").value().empty());
  for (const std::int64_t block : kTunables[0].values) {
    for (const std::int64_t shift : kTunables[1].values) {
      for (const std::int64_t order : kTunables[2].values) {
        const std::vector<std::int64_t> each = {block, shift, order};
        CHECK(from_text(kTunables, to_text(kTunables, each)).value() == each);
      }
    }
  }
}

TEST_CASE("errors name the tunable and its values") {
  CHECK(has(error_of("BLOCK=128 SHIFT=0"), "ORDER is missing; expected ORDER one of rows cols"));
  CHECK(has(error_of(""), "BLOCK is missing"));
  CHECK(has(error_of("BLOCK=100 SHIFT=0 ORDER=rows"), "BLOCK one of 64 128 256"));
  CHECK(has(error_of("BLOCK=128 SHIFT=0 ORDER=1"), "\"1\" is no value of ORDER"));
  CHECK(has(error_of("BLOCK=128 SHIFT=0 ORDER=diagonal"), "ORDER one of rows cols"));
  CHECK(has(error_of("BLOK=128 SHIFT=0 ORDER=rows"), "did you mean BLOCK?"));
  CHECK(has(error_of("BLOCK=64 BLOCK=64 SHIFT=0 ORDER=rows"), "BLOCK is given twice"));
  CHECK(has(error_of("BLOCK 64"), "\"BLOCK\" is no assignment"));
  CHECK(has(error_of("BLOCK="), "\"\" is no value"));
  CHECK(has(error_of("BLOCK=64x"), "no value"));
  CHECK(has(error_of("BLOCK=+64"), "no value"));
  CHECK(has(error_of("BLOCK=64.0"), "no value"));
  CHECK(has(error_of("BLOCK=99999999999999999999"), "no value"));
  CHECK(has(error_of("=64"), "unknown tunable \"\""));
  CHECK(error_of(std::string(100000, 'x')).size() < 300);
  const auto unexpected = from_text({}, "A=1");
  REQUIRE_FALSE(unexpected);
  CHECK(has(unexpected.error().text(), "unknown tunable \"A\""));
}

TEST_CASE("long lists of values are cut in messages") {
  Tunable many{.name = "N", .values = {}, .labels = {}};
  for (std::int64_t i = 0; i < 1000; ++i) many.values.push_back(i);
  const auto values = from_text({many}, "");
  REQUIRE_FALSE(values);
  CHECK(values.error().text().size() < 200);
  CHECK(from_text({many}, "N=999").value() == std::vector<std::int64_t>{999});
}

TEST_CASE("the id depends on source, assignment and options, and on nothing else") {
  const KernelSourcePtr a = source_of("extern \"C\" void f(std::int64_t, Block) {}\n");
  const KernelSourcePtr b = source_of("extern \"C\" void f(std::int64_t, Block) { }\n");
  const KernelSourcePtr again = source_of("extern \"C\" void f(std::int64_t, Block) {}\n");
  std::set<Hash128> ids;
  std::size_t count = 0;
  for (const auto& source : {a, b}) {
    for (const Assignment& assignment : std::vector<Assignment>{{}, {0}, {1}, {1, 0}, {0, 1}}) {
      for (const CompileOptions& options : std::vector<CompileOptions>{{}, {0}, {1}, {1, 0}}) {
        ids.insert(Candidate{source, assignment, options}.id());
        ++count;
      }
    }
  }
  CHECK(ids.size() == count);
  CHECK(Candidate{a, {1, 2}, {3}}.id() == Candidate{again, {1, 2}, {3}}.id());
  CHECK(Candidate{}.id() == Candidate{}.id());
}

TEST_CASE("ids of assignments too long for the stack") {
  const KernelSourcePtr source = source_of("extern \"C\" void f(std::int64_t, Block) {}\n");
  std::set<Hash128> ids;
  for (const std::size_t size : {59, 60, 61, 500}) {
    for (std::int64_t last : {1, 2}) {
      Candidate candidate{source, Assignment(size, 7), {}};
      candidate.assignment.back() = last;
      ids.insert(candidate.id());
    }
  }
  CHECK(ids.size() == 8);
}
