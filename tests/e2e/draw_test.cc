// kernatlas draw on real runs and atlas files: every form, any moment, films, and what it refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "archives/atlas.h"
#include "archives/registry.h"
#include "tests/archives/drawing/parsed.h"
#include "tests/support/program.h"
#include "tests/support/temp_dir.h"

namespace fs = std::filesystem;
using namespace kernatlas;
using testing::check_coordinates;
using testing::children;
using testing::Parsed;
using testing::ProgramResult;
using testing::read_file;
using testing::run_kernatlas;
using testing::TempDir;

namespace {

std::string table_text() {
  std::string text =
      "BLOCK,VEC,status,median_ms,mean_ms,min_ms,cv,runs,compile_ms,benchmark_ms,overhead_ms\n";
  for (int block = 1; block <= 32; block *= 2) {
    for (int vec = 1; vec <= 8; vec *= 2) {
      const std::string ms = std::to_string(10.0 / (block + 3 * vec));
      text += std::to_string(block) + "," + std::to_string(vec) + ",measured," + ms + "," + ms +
              "," + ms + ",0.01,10,1,1,1\n";
    }
  }
  return text;
}

struct Place {
  TempDir dir;
  std::string path(const std::string& name) const { return (dir.path() / name).string(); }
  std::string text(const std::string& name) const { return read_file(dir.path() / name); }

  void run(const std::string& out, const char* seed, std::vector<std::string> more = {}) const {
    dir.write("table.csv", table_text());
    std::vector<std::string> arguments{
        "run", path("table.csv"), "--backend", "recorded", "--out", path(out), "--seed",
        seed,  "--budget",        "16e",       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_kernatlas(arguments);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
  }
  ProgramResult draw(const std::string& input, std::vector<std::string> more) const {
    more.insert(more.begin(), {"draw", path(input)});
    return run_kernatlas(more);
  }
  // Draws and reads the picture.
  std::string drawn(const std::string& input, std::vector<std::string> more) const {
    more.insert(more.end(), {"--out", path("x.svg")});
    const ProgramResult result = draw(input, more);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(result.out.find("x.svg") != std::string::npos);
    std::string svg = text("x.svg");
    check_coordinates(svg);
    return svg;
  }
};

std::size_t filled(const std::string& svg) {
  std::size_t count = 0;
  const Parsed parsed(svg);
  for (const auto& cell : children(parsed.group("cells"), "rect")) {
    count += testing::fill(cell) != "#ffffff";
  }
  return count;
}

}  // namespace

TEST_CASE("a run in all forms, at any moment, and as a film") {
  const Place place;
  place.run("r", "5", {"--ordered"});
  const auto shown = nlohmann::json::parse(run_kernatlas({"show", place.path("r"), "--json"}).out);
  const auto cells = shown["archive"]["cells"].get<std::size_t>();
  const auto occupied = shown["archive"]["occupied"].get<std::size_t>();

  const std::string map = place.drawn("r", {"--title", "t"});
  CHECK(children(Parsed(map).group("cells"), "rect").size() == cells);
  CHECK(filled(map) == occupied);
  const std::string id = shown["best"]["id"].get<std::string>().substr(0, 12);
  CHECK(map.find(id) != std::string::npos);

  const std::string lines = place.drawn("r", {"--as", "parallel"});
  CHECK(children(Parsed(lines).group("lines"), "polyline").size() == occupied);
  CHECK(lines.find("after 16 evaluations") != std::string::npos);

  // The end of its history is the run as it is; its beginning is empty; it grows in between.
  CHECK(place.drawn("r", {"--title", "t", "--at", "16"}) == map);
  CHECK(place.drawn("r", {"--title", "t", "--at", "999"}) == map);
  CHECK(filled(place.drawn("r", {"--at", "0"})) == 0);
  CHECK(filled(place.drawn("r", {"--at", "1"})) == 1);

  REQUIRE(
      place.draw("r", {"--every", "5", "--title", "t", "--out", place.path("film")}).exit_code ==
      0);
  CHECK(place.draw("r", {"--every", "5", "--out", place.path("film")}).exit_code == 2);
  std::set<std::string> frames;
  for (const auto& file : fs::directory_iterator(place.dir.path() / "film")) {
    frames.insert(file.path().filename().string());
  }
  CHECK(frames == std::set<std::string>{"frame-000001.svg", "frame-000002.svg", "frame-000003.svg",
                                        "frame-000004.svg"});
  std::size_t before = 0;
  for (const std::string& frame : frames) {
    const std::size_t now = filled(place.text("film/" + frame));
    CHECK(now >= before);
    before = now;
  }
  CHECK(before == occupied);
}

TEST_CASE("frames of a film give one objective one colour") {
  const Place place;
  place.run("r", "8", {"--ordered"});
  REQUIRE(place.draw("r", {"--every", "4", "--out", place.path("film")}).exit_code == 0);
  std::map<std::string, std::string> colours;
  std::size_t again = 0;
  for (int frame = 1; frame <= 4; ++frame) {
    const Parsed parsed(place.text("film/frame-00000" + std::to_string(frame) + ".svg"));
    for (const auto& cell : children(parsed.group("cells"), "rect")) {
      if (testing::fill(cell) == "#ffffff") continue;
      const auto [found, fresh] = colours.emplace(testing::tooltip(cell), testing::fill(cell));
      CHECK(found->second == testing::fill(cell));
      again += !fresh;
    }
  }
  CHECK(again > 0);
}

TEST_CASE("curves of one run, of several, and of their median") {
  const Place place;
  place.run("a", "1");
  place.run("b", "2");
  const std::string one = place.drawn("a", {"--as", "curve"});
  CHECK(Parsed(one).all("//polyline").size() == 3);
  const std::string two = place.drawn("a", {place.path("b"), "--as", "curve"});
  CHECK(testing::texts(Parsed(two).group("legend")) == std::vector<std::string>{"a", "b"});
  CHECK(Parsed(two).all("//polyline").size() == 6);
  // Runs of one name in different folders are told apart by their paths.
  fs::create_directory(place.path("more"));
  place.run("more/a", "3");
  const std::string paths = place.drawn("a", {place.path("more/a") + "/", "--as", "curve"});
  CHECK(testing::texts(Parsed(paths).group("legend")) ==
        std::vector<std::string>{place.path("a"), place.path("more/a") + "/"});
  const std::string median =
      place.drawn("a", {place.path("b"), "--as", "curve", "--over-seeds", "quartiles"});
  CHECK(Parsed(median).all("//polyline").size() == 3);
  CHECK(Parsed(median).all("//path").size() == 3);
}

TEST_CASE("atlas files: a grid, centroids, no cells") {
  const Place place;
  const auto save = [&](const char* name, archives::ArchiveSpec spec) {
    const auto archive = testing::made(std::move(spec));
    testing::fill_randomly(*archive, 20, 4);
    archives::Atlas atlas;
    atlas.subject = "<sphere>";
    atlas.state = archive->state();
    atlas.records.resize(atlas.state.elites.size());
    REQUIRE(archives::save_atlas(place.dir.path() / name, atlas));
    return archive->stats().occupied;
  };
  using archives::Axis;
  const std::vector<Axis> axes{Axis::linear("x", "", 0, 1, 5), Axis::linear("y", "", 0, 1, 4)};
  const std::size_t occupied = save("grid.atlas", {.axes = axes});
  save("cvt.atlas", {.kind = "cvt", .axes = axes, .points = {0.2, 0.2, 0.8, 0.3, 0.5, 0.9}});
  save("dns.atlas", {.kind = "dominated-novelty", .axes = axes});
  CHECK(filled(place.drawn("grid.atlas", {})) == occupied);
  const std::string cells = place.drawn("cvt.atlas", {"--as", "cells"});
  CHECK(children(Parsed(cells).group("cells"), "path").size() == 3);
  const std::string lines = place.drawn("dns.atlas", {"--as", "parallel"});
  CHECK(children(Parsed(lines).group("lines"), "polyline").size() == 20);
  CHECK(place.drawn("grid.atlas", {"--low", "0", "--high", "9"}) != place.drawn("grid.atlas", {}));

  const ProgramResult wrong = place.draw("dns.atlas", {"--out", place.path("no.svg")});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err.find("parallel axes") != std::string::npos);
  CHECK(place.draw("grid.atlas", {"--at", "3", "--out", place.path("no.svg")}).exit_code == 2);
  CHECK(place.draw("grid.atlas", {"--as", "curve", "--out", place.path("no.svg")}).exit_code == 2);
  place.dir.write("broken.atlas", "not an atlas");
  CHECK(place.draw("broken.atlas", {"--out", place.path("no.svg")}).exit_code == 2);
  CHECK(place.draw("missing", {"--out", place.path("no.svg")}).exit_code != 0);
  CHECK(!fs::exists(place.path("no.svg")));
}

TEST_CASE("bad usage is refused before anything is drawn") {
  const Place place;
  place.run("r", "5");
  const std::string out = place.path("no.svg");
  const std::vector<std::vector<std::string>> wrong{
      {},
      {"--as", "painting", "--out", out},
      {place.path("r"), "--out", out},
      {"--low", "2", "--high", "1", "--out", out},
      {"--low", "nan", "--out", out},
      {"--as", "curve", "--low", "1", "--out", out},
      {"--over-seeds", "quartiles", "--out", out},
      {"--every", "0", "--out", out},
      {"--as", "cells", "--out", out},
  };
  for (const auto& arguments : wrong) {
    const ProgramResult result = place.draw("r", arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(!result.err.empty());
  }
  CHECK(!fs::exists(out));
  fs::create_directory(place.path("empty"));
  CHECK(place.draw("empty", {"--out", out}).exit_code == 2);
  CHECK(place.draw("r", {"--out", place.path("no/where/x.svg")}).exit_code == 4);
}
