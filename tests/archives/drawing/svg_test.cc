#include "archives/drawing/svg.h"

#include <doctest/doctest.h>

#include <limits>
#include <random>

#include "archives/drawing/colour.h"
#include "archives/drawing/ticks.h"
#include "tests/archives/drawing/parsed.h"

using namespace kernatlas::archives;
using kernatlas::testing::Parsed;

TEST_CASE("coordinates are short, plain and finite") {
  CHECK(coordinate(12.5) == "12.5");
  CHECK(coordinate(-0.001) == "0");
  CHECK(coordinate(100) == "100");
  CHECK(coordinate(1.0 / 3) == "0.33");
  CHECK(coordinate(std::numeric_limits<double>::quiet_NaN()) == "0");
  CHECK(coordinate(std::numeric_limits<double>::infinity()) == "1000000");
  CHECK(coordinate(-1e300) == "-1000000");
}

TEST_CASE("hostile texts come back whole, and what XML cannot hold is replaced") {
  const std::string hostile = "<script>&amp;\"'</script> ]]> é ∞ 🦉";
  Svg svg(100, 50, hostile);
  svg.begin("g\"<", {}, hostile);
  svg.text({1, 2}, hostile, {}, hostile);
  svg.text({1, 2}, std::string("a\x01"
                               "b\0c\xff\xc0\xaf\xed\xa0\x80z\xe2\x82",
                               14));
  svg.end();
  const Parsed parsed(svg.str());
  CHECK(kernatlas::testing::tooltip(parsed.root()) == hostile);
  const auto nodes = parsed.all("//text");
  REQUIRE(nodes.size() == 2);
  CHECK(kernatlas::testing::said(nodes[0]) == hostile);
  CHECK(kernatlas::testing::tooltip(nodes[0]) == hostile);
  CHECK(nodes[0].parent().attribute("data-about").value() == hostile);
  CHECK(parsed.all("//script").empty());
  const std::string replaced = kernatlas::testing::said(nodes[1]);
  CHECK(replaced.substr(0, 5) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(replaced.find('\x01') == std::string::npos);
  CHECK(replaced.find('z') != std::string::npos);
}

TEST_CASE("any bytes as names give well-formed XML") {
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string bytes;
    for (unsigned i = random() % 40; i > 0; --i) bytes += static_cast<char>(random() % 256);
    Svg svg(10, 10, bytes);
    svg.begin("g", {}, bytes);
    svg.text({0, 0}, shortened(bytes, 10, 60), {}, bytes);
    const Parsed parsed(svg.str());
    CHECK(parsed.all("//text").size() == 1);
  }
}

TEST_CASE("long texts are cut between characters") {
  CHECK(shortened("short", 10, 100) == "short");
  const std::string cut = shortened("ééééééééééééééé", 10, 40);
  CHECK(cut.size() > 3);
  CHECK(cut.substr(cut.size() - 3) == "…");
  CHECK((cut.size() - 3) % 2 == 0);
  CHECK(text_width(cut, 10) <= 40);
}

TEST_CASE("cubehelix follows the published formula") {
  // Without hue it is grey; the ends are black and white whatever the hue.
  for (const double lightness : {0.0, 0.2, 0.5, 1.0}) {
    const Colour grey = cubehelix(lightness, 0.5, -1.5, 0);
    CHECK(grey.red == doctest::Approx(lightness));
    CHECK(grey.green == doctest::Approx(lightness));
    CHECK(grey.blue == doctest::Approx(lightness));
  }
  CHECK(hex(cubehelix(0, 0.5, -1.5, 1)) == "#000000");
  CHECK(hex(cubehelix(1, 0.5, -1.5, 1)) == "#ffffff");
  // At the middle of Green's default scheme the angle is 2 pi (1/6 - 3/4) = -7/6 pi.
  const Colour middle = cubehelix(0.5, 0.5, -1.5, 1);
  CHECK(middle.red == doctest::Approx(0.5 + 0.125 * (0.14861 * 0.8660254 + 1.78277 * 0.5)));
  CHECK(middle.green == doctest::Approx(0.5 + 0.125 * (0.29227 * 0.8660254 - 0.90649 * 0.5)));
  CHECK(middle.blue == doctest::Approx(0.5 - 0.125 * 1.97294 * 0.8660254));
}

TEST_CASE("shades darken evenly from pale to dark, none of them white") {
  double before = brightness(shade(0));
  CHECK(before < 0.95);
  for (int i = 1; i <= 100; ++i) {
    const double now = brightness(shade(i / 100.0));
    CHECK(before - now == doctest::Approx(0.0071).epsilon(0.02));
    before = now;
  }
}

TEST_CASE("a colour scale is total") {
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const ColourScale wide(-kMost, kMost);
  CHECK(wide.place(0) == doctest::Approx(0.5));
  CHECK(wide.place(kMost) == 1);
  CHECK(wide.place(kNaN) == 0);
  for (const auto& scale : {ColourScale(2, 2), ColourScale(kNaN, kNaN), ColourScale(kNaN, 2),
                            ColourScale(2, kNaN), ColourScale(3, 1), ColourScale(1e300, 1e300)}) {
    CHECK(scale.low() < scale.high());
    CHECK(scale.place(scale.low()) == 0);
    CHECK(scale.place(scale.high()) == 1);
  }
  CHECK(ColourScale(2, 2).place(2) == doctest::Approx(0.5));
}

TEST_CASE("ticks are the axis' exact boundaries, with the digits that tell them apart") {
  CHECK(tick_texts(Axis::linear("x", "", 0, 256, 4)) ==
        std::vector<std::string>{"0", "64", "128", "192", "256"});
  CHECK(tick_texts(Axis::edges("x", "", Scale::log2, {1 / 64., .5, 64})) ==
        std::vector<std::string>{"0.015625", "0.5", "64"});
  CHECK(tick_texts(Axis::linear("x", "", 1, 1 + 1e-9, 1)) ==
        std::vector<std::string>{"1", "1.000000001"});
  CHECK(tick_texts(Axis::categorical("x", {"a", "b"})) == std::vector<std::string>{"a", "b"});
  CHECK(axis_title(Axis::linear("size", "B", 0, 1, 1)) == "size (B)");
  const Ticks ticks = scaled_ticks(Axis::log2("x", "", 1, 16, 4), 100, 200);
  REQUIRE(ticks.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(ticks[i].at == doctest::Approx(100 + 25.0 * i));
}

TEST_CASE("round numbers are round and end") {
  CHECK(round_numbers(0, 10, 5) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(round_numbers(-1, 1, 4) == std::vector<double>{-1, -0.5, 0, 0.5, 1});
  CHECK(round_numbers(3, 3, 4).empty());
  CHECK(round_numbers(5, 3, 4).empty());
  CHECK(round_numbers(1e300, 1.1e300, 4).size() >= 2);
  CHECK(round_numbers(1e17, 1e17 + 16, 1000).size() <= 1000);
  CHECK(round_numbers(-1e308, 1e308, 4).empty());
}

TEST_CASE("labels that would touch are turned, and left out where even that is too close") {
  const auto labels = [](double step) {
    Ticks ticks;
    for (int i = 0; i <= 20; ++i) ticks.push_back({.at = step * i, .text = "123456"});
    ticks.front().place = Tick::Place::first;
    ticks.back().place = Tick::Place::last;
    Svg svg(1000, 100, "");
    LabelsBelow(ticks).draw(svg, 10);
    LabelsLeft(ticks).draw(svg, 10);
    return svg.str();
  };
  CHECK(Parsed(labels(48)).all("//text").size() == 2 * 21);
  CHECK(Parsed(labels(48)).all("//text[@transform]").empty());
  CHECK(Parsed(labels(20)).all("//text[@transform]").size() == 21);
  const Parsed close(labels(5));
  CHECK(close.all("//line").size() == 2 * 21);
  std::vector<double> at;
  for (const auto& node : close.all("//text[@transform]"))
    at.push_back(node.attribute("x").as_double());
  REQUIRE(at.size() >= 3);
  CHECK(at.back() - at.front() == doctest::Approx(100));
  for (std::size_t i = 1; i < at.size(); ++i) CHECK(at[i] - at[i - 1] >= 18);
}
