#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "archives/centroids.h"
#include "archives/drawing/colour.h"
#include "archives/drawing/drawing.h"
#include "tests/archives/drawing/parsed.h"

using namespace kernatlas::archives;
using namespace kernatlas::testing;

namespace {

const Axis kMemory = Axis::categorical("memory", {"scalar", "vector", "gather"});
const Axis kSize = Axis::log2("size", "B", 1, 16, 4);
const Axis kLoad = Axis::linear("load", "", 0, 1, 2);

std::vector<pugi::xml_node> cells(const Parsed& parsed) {
  return children(parsed.group("cells"), "rect");
}

struct Rectangle {
  double x, y, width, height;
};
Rectangle rectangle(pugi::xml_node node) {
  return {node.attribute("x").as_double(), node.attribute("y").as_double(),
          node.attribute("width").as_double(), node.attribute("height").as_double()};
}

}  // namespace

TEST_CASE("every cell of any number of axes is drawn once, none over another") {
  for (const std::vector<Axis>& axes : {std::vector{kSize},
                                        {kSize, kMemory},
                                        {kSize, kMemory, kLoad},
                                        {kMemory, kSize, kLoad, Axis::linear("depth", "", 1, 4, 3)},
                                        {Axis::linear("one", "", 0, 1, 1)}}) {
    const auto archive = made({.axes = axes});
    fill_randomly(*archive, 30, 7);
    const auto drawn = draw_heat_map(*archive, {.title = "t"});
    REQUIRE(drawn);
    check_coordinates(*drawn);
    const Parsed parsed(*drawn);
    const auto rects = cells(parsed);
    CHECK(rects.size() == archive->stats().cells);
    std::set<std::string> tooltips;
    std::size_t empty = 0;
    for (std::size_t i = 0; i < rects.size(); ++i) {
      CHECK(tooltip(rects[i]) != "");
      tooltips.insert(tooltip(rects[i]));
      empty += fill(rects[i]) == "#ffffff" && tooltip(rects[i]).find("empty") != std::string::npos;
      const Rectangle a = rectangle(rects[i]);
      for (std::size_t j = 0; j < i; ++j) {
        const Rectangle b = rectangle(rects[j]);
        const double wide = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
        const double high = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
        CHECK((wide < 0.02 || high < 0.02));
      }
    }
    CHECK(tooltips.size() == rects.size());
    CHECK(empty == rects.size() - archive->stats().occupied);
  }
}

TEST_CASE("an elite lies where its bins are, in the colour of its objective") {
  const auto archive = made({.axes = {kSize, kMemory}});
  add(*archive, 11, 1, {3, 0});    // second column, lowest row
  add(*archive, 12, 3, {16, 2});   // last column, highest row
  add(*archive, 13, 2, {0.1, 1});  // clipped into the first column
  const auto drawn = draw_heat_map(*archive, {.objective = "gain"});
  REQUIRE(drawn);
  const Parsed parsed(*drawn);
  const auto rects = cells(parsed);
  REQUIRE(rects.size() == 12);
  const ColourScale scale(1, 3);
  const auto find = [&](const std::string& id) {
    for (const auto& rect : rects) {
      if (tooltip(rect).find("id: " + id) != std::string::npos) return rect;
    }
    return pugi::xml_node();
  };
  CHECK(fill(find("11")) == hex(scale.colour(1)));
  CHECK(fill(find("12")) == hex(scale.colour(3)));
  CHECK(fill(find("13")) == hex(scale.colour(2)));
  CHECK(tooltip(find("11")) == "size: [2, 4) B\nmemory: scalar\ngain: 1\nid: 11");
  const Rectangle low = rectangle(find("11"));
  const Rectangle high = rectangle(find("12"));
  const Rectangle left = rectangle(find("13"));
  CHECK(high.x == doctest::Approx(low.x + 2 * low.width).epsilon(0.001));
  CHECK(high.y == doctest::Approx(low.y - 2 * low.height).epsilon(0.001));
  CHECK(left.x == doctest::Approx(low.x - low.width).epsilon(0.001));
}

TEST_CASE("marks are the boundaries, at the edges of the cells") {
  const auto archive = made({.axes = {kSize, kMemory}});
  const auto drawn = draw_heat_map(*archive);
  REQUIRE(drawn);
  const Parsed parsed(*drawn);
  const auto size = parsed.group("axis", "size");
  CHECK(texts(size) == std::vector<std::string>{"1", "2", "4", "8", "16", "size (B)"});
  const auto memory = parsed.group("axis", "memory");
  CHECK(texts(memory) == std::vector<std::string>{"scalar", "vector", "gather", "memory"});
  const Rectangle first = rectangle(cells(parsed)[0]);
  const auto marks = children(size, "line");
  REQUIRE(marks.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(marks[i].attribute("x1").as_double() ==
          doctest::Approx(first.x + static_cast<double>(i) * first.width).epsilon(0.001));
  }
}

TEST_CASE("nested axes repeat the inner map, and name each part of the outer one") {
  const auto archive = made({.axes = {kSize, kMemory, kLoad}});
  add(*archive, 1, 1, {1, 0, 0.9});
  const auto drawn = draw_heat_map(*archive);
  REQUIRE(drawn);
  const Parsed parsed(*drawn);
  CHECK(children(parsed.group("axis", "size"), "line").size() == 2 * 5);
  CHECK(texts(parsed.group("axis", "load")) == std::vector<std::string>{"0", "0.5", "1", "load"});
  // The elite lies in the right half.
  double middle = 0;
  for (const auto& rect : cells(parsed)) middle += rectangle(rect).x / 24;
  for (const auto& rect : cells(parsed)) {
    if (fill(rect) != "#ffffff") CHECK(rectangle(rect).x > middle);
  }
}

TEST_CASE("with a fixed scale equal objectives have equal colours in two frames") {
  const auto early = made({.axes = {kSize}});
  add(*early, 1, 1.25, {1});
  const auto late = made({.axes = {kSize}});
  add(*late, 1, 1.25, {1});
  add(*late, 2, 9, {3});
  const auto colour = [](const Archive& archive, const DrawingOptions& options) {
    return fill(cells(Parsed(*draw_heat_map(archive, options)))[0]);
  };
  const DrawingOptions fixed{.low = 0, .high = 4};
  CHECK(colour(*early, fixed) == colour(*late, fixed));
  CHECK(colour(*early, fixed) == hex(ColourScale(0, 4).colour(1.25)));
  CHECK(colour(*early, {}) != colour(*late, {}));
  CHECK(fill(cells(Parsed(*draw_heat_map(*late, fixed)))[1]) == hex(shade(1)));
}

TEST_CASE("an empty archive, one elite, huge numbers and hostile names") {
  const auto empty = made({.axes = {kSize, kMemory}});
  const auto drawn = draw_heat_map(*empty);
  REQUIRE(drawn);
  check_coordinates(*drawn);
  CHECK(drawn->find("none of 12 cells") != std::string::npos);

  const std::string hostile = "<b>&\"'\x02";
  const auto archive = made({.axes = {Axis::linear(hostile, hostile, -1e308, 1e308, 3),
                                      Axis::categorical("<", {hostile})}});
  add(*archive, 1, -1e308, {-1e308, 0});
  check_coordinates(*draw_heat_map(*archive));
  add(*archive, 2, 1e308, {1e308, 0});
  const auto strange = draw_heat_map(*archive, {.title = hostile,
                                                .objective = hostile,
                                                .elite_text = [&](const Elite&) { return hostile; },
                                                .width = std::numeric_limits<double>::quiet_NaN()});
  REQUIRE(strange);
  check_coordinates(*strange);
  CHECK(Parsed(*strange).all("//b").empty());
  CHECK(strange->find("<b>") == std::string::npos);
}

TEST_CASE("the same archive gives the same bytes, restored or not") {
  const auto archive = made({.axes = {kSize, kMemory, kLoad}});
  fill_randomly(*archive, 40, 3);
  const auto restored = builtin_kinds().restore(archive->state());
  REQUIRE(restored);
  CHECK(*draw_heat_map(*archive) == *draw_heat_map(**restored));
  CHECK(*draw_heat_map(*archive) == *draw_heat_map(*archive));
}

TEST_CASE("what is no grid, or too large, is refused with what to do instead") {
  const auto novelty = made({.kind = "dominated-novelty", .axes = {kSize}});
  const auto refused = draw_heat_map(*novelty);
  REQUIRE(!refused);
  CHECK(refused.error().find("parallel axes") != std::string::npos);
  const std::vector<Axis> axes{kSize, kLoad};
  const auto cvt = made({.kind = "cvt", .axes = axes, .points = {1, 0.1, 8, 0.2, 4, 0.9}});
  CHECK(draw_heat_map(*cvt).error().find("as cells") != std::string::npos);
  const auto large =
      made({.axes = {Axis::linear("x", "", 0, 1, 300), Axis::linear("y", "", 0, 1, 300)}});
  CHECK(draw_heat_map(*large).error().find("65536") != std::string::npos);
}

TEST_CASE("many bins are readable: no label over another at 900 pixels") {
  const auto archive = made({.axes = {Axis::log2("shared memory", "bytes", 1024, 262144, 8),
                                      Axis::linear("registers", "", 0, 256, 8)}});
  const auto drawn = draw_heat_map(*archive);
  REQUIRE(drawn);
  const Parsed parsed(*drawn);
  CHECK(parsed.root().attribute("width").as_double() <= 900);
  for (const char* name : {"shared memory", "registers"}) {
    CHECK(texts(parsed.group("axis", name)).size() == 9 + 1);
  }
}
