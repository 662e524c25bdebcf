// A drawn picture read back as XML, and archives to draw.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <pugixml.hpp>
#include <random>
#include <string>
#include <vector>

#include "archives/registry.h"

namespace kernatlas::testing {

class Parsed {
 public:
  explicit Parsed(const std::string& svg) {
    const auto result =
        xml_.load_string(svg.c_str(), pugi::parse_default | pugi::parse_ws_pcdata_single);
    INFO(result.description());
    REQUIRE(result);
    REQUIRE(std::string(xml_.document_element().name()) == "svg");
  }
  pugi::xml_node root() const { return xml_.document_element(); }
  // The first group of that class (and about).
  pugi::xml_node group(const std::string& name, const std::string& about = {}) const {
    for (const auto& found : xml_.select_nodes(("//g[@class='" + name + "']").c_str())) {
      if (about.empty() || about == found.node().attribute("data-about").value()) {
        return found.node();
      }
    }
    return {};
  }
  std::vector<pugi::xml_node> all(const std::string& path) const {
    std::vector<pugi::xml_node> nodes;
    for (const auto& found : xml_.select_nodes(path.c_str())) nodes.push_back(found.node());
    return nodes;
  }

 private:
  pugi::xml_document xml_;
};

inline std::vector<pugi::xml_node> children(pugi::xml_node node, const char* name) {
  const auto range = node.children(name);
  return {range.begin(), range.end()};
}

// What a text element says, without its tooltip.
inline std::string said(pugi::xml_node text) {
  for (const pugi::xml_node child : text.children()) {
    if (child.type() == pugi::node_pcdata && std::string(child.value()) != " ")
      return child.value();
  }
  return {};
}

inline std::vector<std::string> texts(pugi::xml_node group) {
  std::vector<std::string> out;
  for (const auto& node : children(group, "text")) out.push_back(said(node));
  return out;
}

inline std::string tooltip(pugi::xml_node node) {
  return node.child("title").text().get();
}

inline std::string fill(pugi::xml_node node) {
  return node.attribute("fill").value();
}

// Every number of the picture is a plain finite one within reason.
inline void check_coordinates(const std::string& svg) {
  CHECK(svg.find("nan") == std::string::npos);
  CHECK(svg.find("inf") == std::string::npos);
  const Parsed parsed(svg);
  for (const char* name : {"x", "y", "x1", "y1", "x2", "y2", "width", "height", "points", "d"}) {
    for (const auto& node : parsed.all(std::string("//*[@") + name + "]")) {
      std::string numbers = node.attribute(name).value();
      for (char& each : numbers) {
        if (each == ',' || each == 'M' || each == 'Z') each = ' ';
      }
      std::size_t at = 0;
      while ((at = numbers.find_first_not_of(' ', at)) != std::string::npos) {
        std::size_t used = 0;
        const double value = std::stod(numbers.substr(at), &used);
        CHECK(std::abs(value) < 10000);
        at += used;
      }
    }
  }
}

inline std::unique_ptr<archives::Archive> made(archives::ArchiveSpec spec) {
  auto archive = archives::builtin_kinds().make(std::move(spec));
  REQUIRE(archive);
  return std::move(*archive);
}

inline void add(archives::Archive& archive, std::uint64_t id, double objective,
                std::vector<double> measures) {
  archive.add({.id = id,
               .objective = objective,
               .low = objective,
               .high = objective,
               .measures = std::move(measures)});
}

inline void fill_randomly(archives::Archive& archive, std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> measures;
    for (const archives::Axis& axis : archive.axes()) {
      const double at = uniform(random);
      measures.push_back(axis.scale() == archives::Scale::categorical
                             ? std::floor(at * static_cast<double>(axis.bins()))
                             : axis.unscaled(at));
    }
    add(archive, i + 1, 4 * uniform(random), std::move(measures));
  }
}

}  // namespace kernatlas::testing
