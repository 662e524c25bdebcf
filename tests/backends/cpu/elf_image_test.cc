// The ELF reader on objects of the real linker, and on every way to damage one.
#include "backends/cpu/elf_image.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "backends/cpu/machine_code.h"
#include "backends/cpu/object_features.h"
#include "backends/cpu/object_inspection.h"
#include "tests/backends/cpu/cpu_test_support.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

const std::vector<std::string> kLaunches = {"kernatlas_launch_0"};

const std::string& good_object() {
  static const std::string image = [] {
    const auto compiled = search_compiler().compile(candidate_of(one_launch(
        "static const float table[2] = {1, 2};\nstatic const float* const tables[2] = {table, "
        "table + 1};\nextern \"C\" void k(const float* x, const float* w, float* y, Block at) {\n"
        "  for (int i = 0; i < COLS; ++i) y[i] = std::exp(x[i]) * tables[at.x % 2][0];\n}\n")));
    REQUIRE(compiled);
    return *(*compiled)->images[0];
  }();
  return image;
}

// Everything that is done with an object that came from a compiler.
bool accepted(const std::string& bytes) {
  const auto image = ElfImage::parse(bytes);
  if (!image) {
    CHECK(!image.error().message.empty());
    return false;
  }
  const MachineCode code = decode_machine_code(*image);
  LaunchPlan plan;
  plan.launches.emplace_back();
  CHECK(!cpu_features(code, plan).empty());
  return inspect_object(*image, code, kLaunches).empty();
}

template <typename T>
T read_at(const std::string& bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void write_at(std::string& bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

// Applies `change` to the first program header of a type.
template <typename Change>
std::string with_segment(std::uint32_t type, std::uint32_t flags, Change change) {
  std::string bytes = good_object();
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const std::size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = read_at<Elf64_Phdr>(bytes, at);
    if (segment.p_type != type || (segment.p_flags & flags) != flags) continue;
    change(segment);
    write_at(bytes, at, segment);
    return bytes;
  }
  FAIL("no such segment");
  return bytes;
}

}  // namespace

TEST_CASE("a good object is read") {
  const auto image = ElfImage::parse(good_object());
  REQUIRE(image);
  CHECK(std::count(image->needed().begin(), image->needed().end(), "libm.so.6") == 1);
  const auto& symbols = image->dynamic_symbols();
  CHECK(std::any_of(symbols.begin(), symbols.end(),
                    [](const ElfSymbol& symbol) { return symbol.name == "kernatlas_launch_0"; }));
  CHECK(std::any_of(symbols.begin(), symbols.end(), [](const ElfSymbol& symbol) {
    return symbol.name == "expf" && symbol.section == SHN_UNDEF;
  }));
  CHECK(!image->relocation_types().empty());
  CHECK(accepted(good_object()));
  const MachineCode code = decode_machine_code(*image);
  CHECK(code.problems.empty());
  CHECK(std::any_of(code.regions.begin(), code.regions.end(), [](const CodeRegion& region) {
    return region.is_function && region.name == "kernatlas_launch_0" &&
           region.instructions.size() > 10;
  }));
}

TEST_CASE("not an object at all") {
  for (const std::string& bytes : {std::string(),
                                   std::string("\x7f"
                                               "ELF"),
                                   std::string(5000, '\0'), std::string("#!/bin/sh")}) {
    CHECK_FALSE(ElfImage::parse(bytes));
  }
}

TEST_CASE("no truncated object is accepted, whatever the cut") {
  const std::string& good = good_object();
  int accepted_cuts = 0;
  for (std::size_t size = 0; size < good.size(); size += size < 700 ? 1 : 37) {
    if (accepted(good.substr(0, size))) ++accepted_cuts;
  }
  CHECK(accepted_cuts == 0);
}

TEST_CASE("random damage never leads outside the bytes") {
  std::mt19937 rng(20240611);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good_object();
    const int changes = 1 + static_cast<int>(rng() % 4);
    for (int i = 0; i < changes; ++i) {
      // Half of the changes hit the headers and tables at the start and the end.
      const std::size_t span =
          rng() % 2 == 0 ? std::min<std::size_t>(bytes.size(), 1024) : bytes.size();
      const std::size_t at = rng() % 4 == 0 ? bytes.size() - 1 - rng() % 1024 : rng() % span;
      bytes[at] = static_cast<char>(rng() % 3 == 0 ? 0xff : rng());
    }
    (void)accepted(bytes);  // the sanitizers watch
  }
}

TEST_CASE("headers that would load something else than was inspected are refused") {
  CHECK(accepted(with_segment(PT_LOAD, PF_X, [](Elf64_Phdr&) {})));
  CHECK_FALSE(accepted(with_segment(PT_LOAD, PF_X, [](Elf64_Phdr& s) { s.p_flags |= PF_W; })));
  CHECK_FALSE(accepted(with_segment(PT_LOAD, PF_X, [](Elf64_Phdr& s) { s.p_offset += 4096; })));
  CHECK_FALSE(accepted(with_segment(PT_LOAD, PF_X, [](Elf64_Phdr& s) { s.p_memsz += 8192; })));
  CHECK_FALSE(accepted(with_segment(PT_LOAD, PF_X, [](Elf64_Phdr& s) { s.p_vaddr = 0; })));
  CHECK_FALSE(accepted(with_segment(PT_GNU_RELRO, 0, [](Elf64_Phdr& s) { s.p_memsz = 8; })));
  CHECK_FALSE(accepted(with_segment(PT_GNU_RELRO, 0, [](Elf64_Phdr& s) { s.p_type = PT_NULL; })));
  CHECK_FALSE(accepted(with_segment(PT_GNU_STACK, 0, [](Elf64_Phdr& s) { s.p_flags |= PF_X; })));
  CHECK_FALSE(accepted(with_segment(PT_GNU_STACK, 0, [](Elf64_Phdr& s) { s.p_type = PT_TLS; })));
  CHECK_FALSE(accepted(with_segment(PT_GNU_STACK, 0, [](Elf64_Phdr& s) { s.p_type = PT_INTERP; })));
  CHECK_FALSE(accepted(with_segment(PT_DYNAMIC, 0, [](Elf64_Phdr& s) { s.p_vaddr += 16; })));
  CHECK_FALSE(accepted(with_segment(PT_DYNAMIC, 0, [](Elf64_Phdr& s) { s.p_type = PT_NULL; })));
}

TEST_CASE("dynamic entries that run code or redirect libraries are refused") {
  for (const std::int64_t tag :
       {std::int64_t{DT_INIT}, std::int64_t{DT_FINI}, std::int64_t{DT_INIT_ARRAY},
        std::int64_t{DT_RUNPATH}, std::int64_t{DT_RPATH}, std::int64_t{DT_TEXTREL},
        std::int64_t{DT_AUDIT}, std::int64_t{DT_FILTER}, std::int64_t{DT_AUXILIARY}}) {
    CAPTURE(tag);
    std::string bytes = good_object();
    const auto image = ElfImage::parse(bytes);
    REQUIRE(image);
    for (const ElfSegment& segment : image->segments()) {
      if (segment.type != PT_DYNAMIC) continue;
      // The last entry but DT_NULL is a count of the version table: nothing else refers to it.
      for (std::uint64_t at = 0; at < segment.file_size; at += sizeof(Elf64_Dyn)) {
        auto entry = read_at<Elf64_Dyn>(bytes, segment.offset + at);
        if (entry.d_tag != DT_VERNEEDNUM) continue;
        entry.d_tag = tag;
        write_at(bytes, segment.offset + at, entry);
      }
    }
    CHECK_FALSE(accepted(bytes));
  }
}

TEST_CASE("an object must export the launchers it was compiled with, no other") {
  const auto image = ElfImage::parse(good_object());
  REQUIRE(image);
  const MachineCode code = decode_machine_code(*image);
  const std::vector<std::string> two = {"kernatlas_launch_0", "kernatlas_launch_1"};
  const auto missing = inspect_object(*image, code, two);
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].what == "does not export kernatlas_launch_1");
  const auto surplus = inspect_object(*image, code, std::vector<std::string>{});
  REQUIRE(surplus.size() == 1);
  CHECK(surplus[0].what == "exports kernatlas_launch_0");
}
