#include "archives/atlas.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "archives/atlas_stream.h"
#include "tests/archives/atlas_sample.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;
using kernatlas::testing::read_file;
using kernatlas::testing::TempDir;

TEST_CASE("everything survives saving and loading, and saving again gives the same bytes") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Atlas atlas = sample_atlas(seed);
    REQUIRE(atlas.state.elites.size() > 10);
    const std::string bytes = bytes_of(atlas);
    const auto loaded = atlas_from(bytes);
    REQUIRE(loaded.has_value());
    CHECK(loaded->subject == atlas.subject);
    CHECK(loaded->contract == atlas.contract);
    CHECK(loaded->context == atlas.context);
    CHECK(loaded->provenance == atlas.provenance);
    CHECK(loaded->state.spec == atlas.state.spec);
    CHECK(loaded->state.elites == atlas.state.elites);
    CHECK(loaded->state.counters.adds() == atlas.state.counters.adds());
    CHECK(loaded->state.counters.qd_score == atlas.state.counters.qd_score);
    CHECK(loaded->state.counters.above == atlas.state.counters.above);
    REQUIRE(loaded->records.size() == atlas.records.size());
    for (std::size_t i = 0; i < atlas.records.size(); ++i) {
      CHECK(loaded->records[i].key == atlas.records[i].key);
      CHECK(unpack(loaded->records[i].payload, loaded->blobs) ==
            sample_payload(atlas.state.elites[i].entry.id));
    }
    REQUIRE(loaded->proposals.size() == 1);
    CHECK(loaded->proposals[0].origin == atlas.proposals[0].origin);
    CHECK(unpack(loaded->proposals[0].payload, loaded->blobs) == sample_payload(1000 + seed));
    CHECK(bytes_of(*loaded) == bytes);
  }
}

TEST_CASE("the archive goes on from a file as if it had never stopped") {
  const ArchiveKinds kinds = builtin_kinds();
  std::mt19937_64 rng(5);
  const auto straight = kinds.make(sample_spec()).value();
  for (std::uint64_t id = 0; id < 100; ++id) straight->add(sample_entry(rng, id));
  const auto loaded = atlas_from(bytes_of(atlas_of(*straight)));
  REQUIRE(loaded.has_value());
  const auto restored = kinds.restore(loaded->state);
  REQUIRE(restored.has_value());
  for (std::uint64_t id = 100; id < 300; ++id) {
    const Entry entry = sample_entry(rng, id);
    CHECK(straight->add(entry).status == (*restored)->add(entry).status);
  }
  CHECK(straight->state().elites == (*restored)->state().elites);
  CHECK(straight->stats().qd_score == (*restored)->stats().qd_score);
}

TEST_CASE("strange numbers, names and texts survive") {
  Atlas atlas;
  atlas.subject = "";
  atlas.contract = std::string(5000, 'c') + "\n\"\xc3\xa4";
  atlas.state.spec.axes = {Axis::edges("a", "s", Scale::linear, {-0.0, 5e-324, 1e308}),
                           Axis::quantile("q", "", {1, 2, 3, 4, 5}, 3)};
  atlas.state.spec.options = {{"depth", 1}};
  Entry entry;
  entry.id = std::numeric_limits<std::uint64_t>::max();
  entry.objective = -0.0;
  entry.low = -std::numeric_limits<double>::infinity();
  entry.high = std::numeric_limits<double>::infinity();
  entry.measures = {5e-324, std::numeric_limits<double>::quiet_NaN()};
  entry.costs = {1, 2, 3};
  entry.samples = std::uint64_t{1} << 60;
  atlas.state.elites.push_back({entry, std::uint64_t{1} << 63, 7});
  atlas.records.push_back({.key = "", .payload = {}});
  const std::string bytes = bytes_of(atlas);
  const auto loaded = atlas_from(bytes);
  REQUIRE(loaded.has_value());
  CHECK(loaded->contract == atlas.contract);
  CHECK(loaded->state.spec == atlas.state.spec);
  const Entry& got = loaded->state.elites.at(0).entry;
  CHECK(got.id == entry.id);
  CHECK(std::signbit(got.objective));
  CHECK(std::isinf(got.low));
  CHECK(got.measures[0] == 5e-324);
  CHECK(std::isnan(got.measures[1]));
  CHECK(got.costs == entry.costs);
  CHECK(got.samples == entry.samples);
  CHECK(loaded->state.elites[0].cell == std::uint64_t{1} << 63);
  CHECK(loaded->state.elites[0].rank == 7);
  CHECK(bytes_of(*loaded) == bytes);
}

TEST_CASE("many points, extra numbers and records take several blocks") {
  Atlas atlas = sample_atlas(3, 5000);
  for (int i = 0; i < 100000; ++i) atlas.state.spec.points.push_back(i * 0.5);
  atlas.state.extra.assign(70000, 0.25);
  for (std::size_t i = 0; i < 5000; ++i) {
    Elite copy = atlas.state.elites[i % atlas.state.elites.size()];
    atlas.state.elites.push_back(copy);
    atlas.records.push_back({.key = "k", .payload = pack(sample_payload(i), atlas.blobs)});
  }
  const std::string bytes = bytes_of(atlas);
  const auto loaded = atlas_from(bytes);
  REQUIRE(loaded.has_value());
  CHECK(loaded->state.spec.points == atlas.state.spec.points);
  CHECK(loaded->state.extra == atlas.state.extra);
  CHECK(loaded->state.elites == atlas.state.elites);
  CHECK(bytes_of(*loaded) == bytes);
}

TEST_CASE("sources are stored once, and what nothing refers to is left out") {
  Atlas atlas = sample_atlas(4);
  const std::string before = bytes_of(atlas);
  atlas.blobs.add(std::string(100000, 'u'));
  CHECK(bytes_of(atlas) == before);
  CHECK(atlas_from(before)->blobs.size() == 3);
}

namespace {

class Counting final : public AtlasVisitor {
 public:
  explicit Counting(std::size_t limit) : limit_(limit) {}
  bool header(AtlasHeader&& header) override {
    subject = header.subject;
    return limit_ > 0;
  }
  bool blob(std::uint64_t number, std::string_view) override {
    CHECK(number == blobs++);
    return true;
  }
  bool elite(Elite&&, AtlasRecord&&) override { return ++elites < limit_; }
  bool proposal(AtlasProposal&&) override {
    ++proposals;
    return true;
  }
  std::string subject;
  std::size_t blobs = 0, elites = 0, proposals = 0;

 private:
  std::size_t limit_;
};

}  // namespace

TEST_CASE("a visitor may stop anywhere, also where what follows is missing") {
  const std::string bytes = bytes_of(sample_atlas(6));
  TextSource none(bytes);
  Counting at_header(0);
  CHECK(visit_atlas(none, at_header)->elites == 0);
  CHECK(at_header.subject == "softmax");
  const std::string cut = bytes.substr(0, bytes.size() - 30);
  TextSource some(cut);
  Counting five(5);
  CHECK(visit_atlas(some, five)->elites == 5);
  TextSource all(cut);
  Counting everything(100000);
  CHECK_FALSE(visit_atlas(all, everything).has_value());
}

TEST_CASE("blobs larger than the limit are refused, not loaded") {
  const std::string bytes = bytes_of(sample_atlas(7));
  TextSource source(bytes);
  const auto loaded = read_atlas(source, {.blob_bytes = 500});
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().expected == "at most 500 bytes");
}

TEST_CASE("a file is saved and loaded; errors name it") {
  const TempDir dir;
  const auto file = dir.path() / "a.atlas";
  const Atlas atlas = sample_atlas(8);
  REQUIRE(save_atlas(file, atlas).has_value());
  CHECK(read_file(file) == bytes_of(atlas));
  REQUIRE(load_atlas(file).has_value());
  const auto missing = load_atlas(dir.path() / "b.atlas");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error().kind == AtlasError::Kind::bad_input);
  CHECK(missing.error().text().find("b.atlas") != std::string::npos);
  dir.write("c.atlas", bytes_of(atlas).substr(0, 100));
  const auto cut = load_atlas(dir.path() / "c.atlas");
  REQUIRE_FALSE(cut.has_value());
  CHECK(cut.error().text().find("c.atlas, byte ") != std::string::npos);
}

namespace {

Atlas page_example() {
  ArchiveSpec spec;
  spec.axes = {Axis::edges("registers", "count", Scale::linear, {0, 32, 64})};
  spec.options = {{"depth", 1}};
  const auto archive = builtin_kinds().make(spec).value();
  Entry entry;
  entry.id = 7;
  entry.objective = 1.5;
  entry.low = 1.25;
  entry.high = 1.75;
  entry.measures = {40};
  archive->add(entry);
  Atlas atlas;
  atlas.subject = "softmax";
  atlas.contract = "device 1";
  atlas.state = archive->state();
  atlas.records.push_back({"k1", pack({{"source", "kernel"}}, atlas.blobs)});
  return atlas;
}

}  // namespace

TEST_CASE("the example of docs/formats/atlas.md is what is written") {
  const std::string page = read_file(kernatlas::testing::source_dir() / "docs/formats/atlas.md");
  const std::string fence = "```hex atlas\n";
  const auto start = page.find(fence);
  REQUIRE(start != std::string::npos);
  std::istringstream numbers(
      page.substr(start + fence.size(), page.find("```", start + 3) - start - fence.size()));
  std::string bytes;
  for (int byte = 0; numbers >> std::hex >> byte;) bytes += static_cast<char>(byte);
  const std::string ours = bytes_of(page_example());
  std::string hex;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    char text[4];
    std::snprintf(text, sizeof text, "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(ours[i])));
    hex += text;
    hex += i % 32 == 31 ? '\n' : ' ';
  }
  CHECK_MESSAGE(bytes == ours, hex);
  CHECK(page.find("; " + std::to_string(ours.size()) + " bytes.") != std::string::npos);
}
