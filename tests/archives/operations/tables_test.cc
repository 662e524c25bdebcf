#include "archives/operations/tables.h"

#include <doctest/doctest.h>

#include <minizip/unzip.h>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "tests/archives/atlas_sample.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas::archives;
using namespace kernatlas::archives::testing;
using kernatlas::testing::TempDir;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find("\r\n", at);
    lines.push_back(text.substr(at, end - at));
    at = end + 2;
  }
  return lines;
}

// A member of a zip; minizip checks its CRC.
std::string member(const std::filesystem::path& zip, const char* name) {
  unzFile file = unzOpen64(zip.c_str());
  REQUIRE(file != nullptr);
  REQUIRE(unzLocateFile(file, name, 1) == UNZ_OK);
  REQUIRE(unzOpenCurrentFile(file) == UNZ_OK);
  std::string content;
  char buffer[4096];
  for (int count = 0; (count = unzReadCurrentFile(file, buffer, sizeof buffer)) > 0;) {
    content.append(buffer, static_cast<std::size_t>(count));
  }
  CHECK(unzCloseCurrentFile(file) == UNZ_OK);
  unzClose(file);
  return content;
}

struct Array {
  std::string header;
  std::string elements;
  template <typename T>
  [[nodiscard]] T at(std::size_t i) const {
    T value;
    std::memcpy(&value, elements.data() + i * sizeof(T), sizeof(T));
    return value;
  }
};

Array array(const std::filesystem::path& zip, const char* name) {
  const std::string npy = member(zip, name);
  REQUIRE(npy.substr(0, 8) == std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t size = static_cast<unsigned char>(npy[8]) +
                           256 * static_cast<std::size_t>(static_cast<unsigned char>(npy[9]));
  CHECK((10 + size) % 64 == 0);
  CHECK(npy[9 + size] == '\n');
  return {npy.substr(10, size), npy.substr(10 + size)};
}

}  // namespace

TEST_CASE("JSON has every elite, labels by name, and null for what JSON lacks") {
  Atlas atlas = sample_atlas(1);
  atlas.state.counters.mean = std::numeric_limits<double>::quiet_NaN();
  const auto json = nlohmann::json::parse(to_json(atlas));
  CHECK(json["subject"] == "softmax");
  CHECK(json["archive"]["kind"] == "grid");
  CHECK(json["archive"]["mean"].is_null());
  CHECK(json["archive"]["axes"][2]["labels"][1] == "tile");
  REQUIRE(json["elites"].size() == atlas.state.elites.size());
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    const auto& read = json["elites"][i];
    CHECK(read["objective"].get<double>() == elite.entry.objective);
    CHECK(read["measures"]["bytes"].get<double>() == elite.entry.measures[1]);
    CHECK(read["measures"]["memory"] ==
          atlas.state.spec.axes[2].labels()[static_cast<std::size_t>(elite.entry.measures[2])]);
    CHECK(read["payload"]["source"] == sample_payload(elite.entry.id).at("source"));
  }
  CHECK(json["proposals"][0]["origin"] == "device 2, engine 1");
}

TEST_CASE("CSV quotes what needs it and leaves long values out") {
  Atlas atlas = sample_atlas(2, 30);
  atlas.records[0].key = "a \"b\", c";
  const auto lines = lines_of(to_csv(atlas));
  REQUIRE(lines.size() == atlas.state.elites.size() + 1);
  CHECK(lines[0] ==
        "id,key,cell,rank,objective,low,high,size,samples,registers,bytes,memory,assignment,bytes");
  CHECK(lines[1].find(",\"a \"\"b\"\", c\",") != std::string::npos);
  for (const std::string& line : lines) CHECK(line.find("kernel") == std::string::npos);
}

TEST_CASE("npz holds what the archive holds; the same atlas gives the same file") {
  const TempDir dir;
  const Atlas atlas = sample_atlas(3);
  const auto file = dir.path() / "a.npz";
  REQUIRE(save_npz(file, atlas).has_value());
  REQUIRE(save_npz(dir.path() / "b.npz", atlas).has_value());
  CHECK(kernatlas::testing::read_file(file) == kernatlas::testing::read_file(dir.path() / "b.npz"));
  const std::size_t count = atlas.state.elites.size();
  const Array objective = array(file, "objective.npy");
  CHECK(objective.header.find("'descr': '<f8', 'fortran_order': False, 'shape': (" +
                              std::to_string(count) + ",)") != std::string::npos);
  const Array measures = array(file, "measures.npy");
  CHECK(measures.header.find("(" + std::to_string(count) + ", 3)") != std::string::npos);
  const Array id = array(file, "id.npy");
  CHECK(id.header.find("'<u8'") != std::string::npos);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(objective.at<double>(i) == atlas.state.elites[i].entry.objective);
    CHECK(id.at<std::uint64_t>(i) == atlas.state.elites[i].entry.id);
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(measures.at<double>(3 * i + j) == atlas.state.elites[i].entry.measures[j]);
    }
  }
  const Array labels = array(file, "axis_2.npy");
  CHECK(labels.header.find("'|S12', 'fortran_order': False, 'shape': (3,)") != std::string::npos);
  CHECK(labels.elements.substr(24) == "asynchronous");
  CHECK(array(file, "axis_0.npy").at<double>(0) == 16);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()),
                      std::filesystem::directory_iterator()) == 2);
}

TEST_CASE("an empty atlas can be exported, and a bad place is an error") {
  const TempDir dir;
  Atlas atlas;
  atlas.state = builtin_kinds().make(sample_spec()).value()->state();
  CHECK(nlohmann::json::parse(to_json(atlas))["elites"].empty());
  CHECK(lines_of(to_csv(atlas)).size() == 1);
  CHECK(save_npz(dir.path() / "a.npz", atlas).has_value());
  const auto failed = save_npz(dir.path() / "none" / "a.npz", atlas);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error().file.find("none") != std::string::npos);
}
