// ElfImage: a strict reader of x86-64 ELF shared objects. The bytes are hostile: every offset,
// count and string is checked, and what the dynamic loader would read (program headers, the dynamic
// segment) must agree with what a linker writes beside it (section headers), so that inspection
// looks at exactly what will be loaded.
//
// Views point into the bytes given to parse(); the caller keeps them alive. Cost: linear in the
// size of the tables.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "kernel/result.h"

namespace kernatlas {

struct ElfSegment {
  std::uint32_t type = 0;   // PT_…
  std::uint32_t flags = 0;  // PF_R, PF_W, PF_X
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
};

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;   // SHT_…
  std::uint64_t flags = 0;  // SHF_…
  std::uint64_t address = 0, offset = 0, size = 0;
};

struct ElfSymbol {
  std::string_view name;
  std::uint64_t address = 0, size = 0;
  std::uint8_t type = 0;      // STT_…
  std::uint8_t binding = 0;   // STB_…
  std::uint16_t section = 0;  // index, or SHN_UNDEF, SHN_ABS, …
};

class ElfImage {
 public:
  // Error bad_input: not an x86-64 shared object, truncated, or inconsistent.
  [[nodiscard]] static Result<ElfImage> parse(std::string_view bytes);

  [[nodiscard]] const std::vector<ElfSegment>& segments() const { return segments_; }
  [[nodiscard]] const std::vector<ElfSection>& sections() const { return sections_; }
  // .symtab; empty when stripped. The first, empty symbol is left out, also below.
  [[nodiscard]] const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  [[nodiscard]] const std::vector<ElfSymbol>& dynamic_symbols() const { return dynamic_symbols_; }
  // Tag and value, up to DT_NULL.
  [[nodiscard]] const std::vector<std::pair<std::int64_t, std::uint64_t>>& dynamic() const {
    return dynamic_;
  }
  [[nodiscard]] const std::vector<std::string_view>& needed() const { return needed_; }
  // Types (R_X86_64_…) of the relocations the loader will process.
  [[nodiscard]] const std::vector<std::uint32_t>& relocation_types() const {
    return relocation_types_;
  }
  // File contents of a section; empty for SHT_NOBITS.
  [[nodiscard]] std::string_view bytes_of(const ElfSection& section) const;
  [[nodiscard]] std::string_view bytes() const { return bytes_; }

 private:
  friend class ElfReader;
  std::string_view bytes_;
  std::vector<ElfSegment> segments_;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
  std::vector<ElfSymbol> dynamic_symbols_;
  std::vector<std::pair<std::int64_t, std::uint64_t>> dynamic_;
  std::vector<std::string_view> needed_;
  std::vector<std::uint32_t> relocation_types_;
};

}  // namespace kernatlas
