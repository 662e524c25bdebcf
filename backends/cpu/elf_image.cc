#include "backends/cpu/elf_image.h"

#include <elf.h>

#include <cstring>
#include <optional>

namespace kernatlas {

namespace {

// Far above what a linker writes; sections are bounded by their 16-bit count.
constexpr std::size_t kMaxSegments = 64;
constexpr std::uint64_t kPage = 4096;

tl::unexpected<Error> malformed(const char* what) {
  return fail({.message = std::string("malformed object: ") + what});
}

}  // namespace

// Reads one image; each step returns an error text or nullptr.
class ElfReader {
 public:
  explicit ElfReader(std::string_view bytes) { image_.bytes_ = bytes; }

  Result<ElfImage> read() {
    for (const auto step :
         {&ElfReader::read_header, &ElfReader::read_segments, &ElfReader::read_sections,
          &ElfReader::read_section_names, &ElfReader::read_symbols, &ElfReader::read_dynamic,
          &ElfReader::check_dynamic_tables, &ElfReader::read_relocations}) {
      if (const char* problem = (this->*step)()) return malformed(problem);
    }
    return std::move(image_);
  }

 private:
  template <typename T>
  [[nodiscard]] bool load(std::uint64_t offset, T& out) const {
    if (!inside(offset, sizeof(T))) return false;
    std::memcpy(&out, image_.bytes_.data() + offset, sizeof(T));
    return true;
  }
  [[nodiscard]] bool inside(std::uint64_t offset, std::uint64_t size) const {
    return offset <= image_.bytes_.size() && size <= image_.bytes_.size() - offset;
  }
  // The string at `offset` of a table; nullopt when it starts outside or has no end.
  [[nodiscard]] std::optional<std::string_view> string_at(std::string_view table,
                                                          std::uint64_t offset) const {
    if (offset >= table.size()) return std::nullopt;
    const std::size_t end = table.find('\0', offset);
    if (end == std::string_view::npos) return std::nullopt;
    return table.substr(offset, end - offset);
  }
  // File offset of `size` bytes at `address`, when one loaded segment holds them all.
  [[nodiscard]] std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                                       std::uint64_t size) const {
    for (const ElfSegment& segment : image_.segments_) {
      if (segment.type != PT_LOAD || address < segment.address) continue;
      const std::uint64_t delta = address - segment.address;
      if (delta <= segment.file_size && size <= segment.file_size - delta) {
        return segment.offset + delta;
      }
    }
    return std::nullopt;
  }

  const char* read_header() {
    if (!load(0, header_)) return "shorter than a header";
    if (std::memcmp(header_.e_ident, ELFMAG, SELFMAG) != 0) return "not ELF";
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_machine != EM_X86_64) {
      return "not for x86-64";
    }
    if (header_.e_type != ET_DYN) return "not a shared object";
    if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_shentsize != sizeof(Elf64_Shdr)) {
      return "unusual table entry sizes";
    }
    if (header_.e_phnum == 0 || header_.e_phnum > kMaxSegments) return "unusual segment count";
    return header_.e_shnum == 0 ? "no section headers" : nullptr;
  }

  const char* read_segments() {
    std::uint64_t mapped_to = 0;
    for (std::size_t i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr entry;
      if (!load(header_.e_phoff + i * sizeof entry, entry)) return "program headers cut short";
      if (!inside(entry.p_offset, entry.p_filesz)) return "a segment beyond the file";
      if (entry.p_filesz > entry.p_memsz && entry.p_type == PT_LOAD) return "segment sizes";
      if (entry.p_vaddr + entry.p_memsz < entry.p_vaddr)
        return "a segment beyond the address space";
      image_.segments_.push_back({entry.p_type, entry.p_flags, entry.p_offset, entry.p_vaddr,
                                  entry.p_filesz, entry.p_memsz});
      if (entry.p_type != PT_LOAD) continue;
      // Two segments in one page would be mapped over each other: what was inspected is not what
      // runs.
      if (entry.p_vaddr / kPage * kPage < mapped_to) return "loaded segments that overlap";
      if (entry.p_vaddr % kPage != entry.p_offset % kPage) return "a segment that cannot be mapped";
      mapped_to = (entry.p_vaddr + entry.p_memsz + kPage - 1) / kPage * kPage;
    }
    return nullptr;
  }

  const char* read_sections() {
    for (std::size_t i = 0; i < header_.e_shnum; ++i) {
      Elf64_Shdr entry;
      if (!load(header_.e_shoff + i * sizeof entry, entry)) return "section headers cut short";
      if (entry.sh_type != SHT_NOBITS && entry.sh_type != SHT_NULL &&
          !inside(entry.sh_offset, entry.sh_size)) {
        return "a section beyond the file";
      }
      if (entry.sh_addr + entry.sh_size < entry.sh_addr)
        return "a section beyond the address space";
      headers_.push_back(entry);
      image_.sections_.push_back(
          {{}, entry.sh_type, entry.sh_flags, entry.sh_addr, entry.sh_offset, entry.sh_size});
    }
    return nullptr;
  }

  const char* read_section_names() {
    if (header_.e_shstrndx >= headers_.size()) return "no section names";
    const std::string_view names = image_.bytes_of(image_.sections_[header_.e_shstrndx]);
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const auto name = string_at(names, headers_[i].sh_name);
      if (!name) return "a section name outside its table";
      image_.sections_[i].name = *name;
    }
    return nullptr;
  }

  const char* read_symbols() {
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      const bool is_dynamic = headers_[i].sh_type == SHT_DYNSYM;
      if (!is_dynamic && headers_[i].sh_type != SHT_SYMTAB) continue;
      auto& target = is_dynamic ? image_.dynamic_symbols_ : image_.symbols_;
      if (!target.empty()) return "two symbol tables of a kind";
      if (headers_[i].sh_link >= headers_.size()) return "a symbol table without names";
      if (is_dynamic) dynamic_symbol_section_ = i;
      if (const char* problem = read_symbol_table(i, target)) return problem;
    }
    return nullptr;
  }

  const char* read_symbol_table(std::size_t section, std::vector<ElfSymbol>& target) {
    const std::string_view table = image_.bytes_of(image_.sections_[section]);
    const std::string_view names = image_.bytes_of(image_.sections_[headers_[section].sh_link]);
    if (table.size() % sizeof(Elf64_Sym) != 0) return "a symbol table cut short";
    for (std::size_t at = sizeof(Elf64_Sym); at < table.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym entry;
      std::memcpy(&entry, table.data() + at, sizeof entry);
      const auto name = string_at(names, entry.st_name);
      if (!name) return "a symbol name outside its table";
      target.push_back({*name, entry.st_value, entry.st_size,
                        static_cast<std::uint8_t>(ELF64_ST_TYPE(entry.st_info)),
                        static_cast<std::uint8_t>(ELF64_ST_BIND(entry.st_info)), entry.st_shndx});
    }
    return nullptr;
  }

  const char* read_dynamic() {
    const ElfSegment* found = nullptr;
    for (const ElfSegment& segment : image_.segments_) {
      if (segment.type != PT_DYNAMIC) continue;
      if (found != nullptr) return "two dynamic segments";
      found = &segment;
    }
    if (found == nullptr) return "no dynamic segment";
    // The loader takes the entries from memory, so they are read through the loaded segments.
    const auto start = offset_of(found->address, found->file_size);
    if (!start || *start != found->offset) return "a dynamic segment that is not loaded";
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= found->file_size;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry;
      if (!load(*start + at, entry)) return "a dynamic segment cut short";
      if (entry.d_tag == DT_NULL) return nullptr;
      image_.dynamic_.emplace_back(entry.d_tag, entry.d_un.d_val);
    }
    return "a dynamic segment without an end";
  }

  [[nodiscard]] std::optional<std::uint64_t> dynamic_value(std::int64_t tag) const {
    for (const auto& [key, value] : image_.dynamic_) {
      if (key == tag) return value;
    }
    return std::nullopt;
  }

  // The loader finds symbols and strings by address, we found them by section: must be the same.
  const char* check_dynamic_tables() {
    if (!dynamic_symbol_section_) return "no dynamic symbols";
    const Elf64_Shdr& symbols = headers_[*dynamic_symbol_section_];
    const Elf64_Shdr& strings = headers_[symbols.sh_link];
    if (dynamic_value(DT_SYMTAB) != symbols.sh_addr ||
        dynamic_value(DT_STRTAB) != strings.sh_addr || dynamic_value(DT_STRSZ) != strings.sh_size) {
      return "dynamic symbols that disagree with their section";
    }
    if (offset_of(symbols.sh_addr, symbols.sh_size) != symbols.sh_offset ||
        offset_of(strings.sh_addr, strings.sh_size) != strings.sh_offset) {
      return "dynamic symbols that are not loaded";
    }
    const std::string_view names = image_.bytes_of(image_.sections_[symbols.sh_link]);
    for (const auto& [tag, value] : image_.dynamic_) {
      if (tag != DT_NEEDED) continue;
      const auto name = string_at(names, value);
      if (!name) return "a library name outside its table";
      image_.needed_.push_back(*name);
    }
    return nullptr;
  }

  const char* read_relocations() {
    if (const char* problem = read_relocation_table(DT_RELA, DT_RELASZ)) return problem;
    return read_relocation_table(DT_JMPREL, DT_PLTRELSZ);
  }

  const char* read_relocation_table(std::int64_t address_tag, std::int64_t size_tag) {
    const auto address = dynamic_value(address_tag);
    const auto size = dynamic_value(size_tag);
    if (!address && !size) return nullptr;
    if (!address || !size || *size % sizeof(Elf64_Rela) != 0) return "a relocation table cut short";
    const auto start = offset_of(*address, *size);
    if (!start) return "relocations that are not loaded";
    for (std::uint64_t at = 0; at < *size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela entry;
      if (!load(*start + at, entry)) return "a relocation table cut short";
      if (ELF64_R_SYM(entry.r_info) > image_.dynamic_symbols_.size()) {
        return "a relocation against no symbol";
      }
      image_.relocation_types_.push_back(static_cast<std::uint32_t>(ELF64_R_TYPE(entry.r_info)));
    }
    return nullptr;
  }

  ElfImage image_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> headers_;
  std::optional<std::size_t> dynamic_symbol_section_;
};

Result<ElfImage> ElfImage::parse(std::string_view bytes) {
  return ElfReader(bytes).read();
}

std::string_view ElfImage::bytes_of(const ElfSection& section) const {
  if (section.type == SHT_NOBITS || section.type == SHT_NULL) return {};
  return bytes_.substr(section.offset, section.size);
}

}  // namespace kernatlas
