#include "tools/atlas_axes.h"

#include <doctest/doctest.h>

using namespace kernatlas;
using archives::Axis;

TEST_CASE("every way to cut an axis") {
  const std::vector<Axis> known{Axis::linear("old", "ns", 0, 1, 4)};
  const Samples samples = [](const std::string& name) {
    return name == "t" ? std::vector<double>{1, 2, 3, 4} : std::vector<double>{};
  };
  const auto axes = parse_axes({"old", "r[count]=log2:16:256:4", "b=linear:-1:1:2",
                                "e=edges:1,2.5,1e3", "m=labels:direct,tile", "t=quantile:3"},
                               known, samples);
  REQUIRE_MESSAGE(axes.has_value(), axes.error().text());
  CHECK((*axes)[0] == known[0]);
  CHECK((*axes)[1] == Axis::log2("r", "count", 16, 256, 4));
  CHECK((*axes)[2] == Axis::linear("b", "", -1, 1, 2));
  CHECK((*axes)[3].boundaries() == std::vector<double>{1, 2.5, 1000});
  CHECK((*axes)[4] == Axis::categorical("m", {"direct", "tile"}));
  CHECK((*axes)[5].boundaries() == std::vector<double>{1, 2, 3, 4});
}

TEST_CASE("what is no axis says what would be one") {
  for (const char* text :
       {"new", "x=linear:1:0:4", "x=linear:0:1", "x=linear:0:1:0", "x=linear:0:1:2.5",
        "x=log2:0:1:4", "x=edges:1", "x=edges:1,one", "x=labels:a,a", "x=quantile:2",
        "x=", "x=linear:0:1:99999999", "x=round:1"}) {
    CAPTURE(text);
    const auto axes = parse_axes({text}, {Axis::linear("old", "", 0, 1, 4)}, nullptr);
    REQUIRE_FALSE(axes.has_value());
    CHECK_FALSE(axes.error().message.empty());
    CHECK_FALSE(axes.error().expected.empty());
  }
  CHECK(parse_axes({"new"}, {Axis::linear("old", "", 0, 1, 4)}, nullptr).error().expected ==
        "one of old, or a new one");
}
