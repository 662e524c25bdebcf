#include "backends/cpu/object_inspection.h"

#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>

namespace kernatlas {

namespace {

constexpr std::size_t kMaxFindings = 32;
constexpr std::size_t kMaxNameLength = 256;
constexpr std::uint64_t kPage = 4096;

// Functions of C's <math.h> without their suffixes; each also exists with f and l.
constexpr std::array<std::string_view, 63> kMath = {
    "acos",      "acosh",      "asin",   "asinh",     "atan",   "atan2",  "atanh",   "cbrt",
    "ceil",      "copysign",   "cos",    "cosh",      "erf",    "erfc",   "exp",     "exp10",
    "exp2",      "expm1",      "fabs",   "fdim",      "floor",  "fma",    "fmax",    "fmin",
    "fmod",      "frexp",      "hypot",  "ilogb",     "ldexp",  "llrint", "llround", "log",
    "log10",     "log1p",      "log2",   "logb",      "lrint",  "lround", "modf",    "nearbyint",
    "nextafter", "nexttoward", "pow",    "remainder", "remquo", "rint",   "round",   "roundeven",
    "scalb",     "scalbln",    "scalbn", "sin",       "sincos", "sinh",   "sqrt",    "tan",
    "tanh",      "tgamma",     "trunc",  "finite",    "isnan",  "isinf",  "lgamma"};

constexpr std::array<std::string_view, 8> kMemory = {
    "memcpy",       "memmove",      "memset",        "memcmp",
    "__memcpy_chk", "__memset_chk", "__memmove_chk", "bcmp"};

// Names as people write them; hostile ones are cut before they reach the demangler.
std::string readable_name(std::string_view name) {
  std::string text(name.substr(0, kMaxNameLength));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) c = '?';
  }
  if (name.size() > kMaxNameLength) return text + "…";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && demangled ? std::string(demangled.get()).substr(0, kMaxNameLength) : text;
}

std::string advice_for_import(std::string_view symbol) {
  const auto is_one_of = [&](std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), symbol) != names.end();
  };
  if (is_one_of({"malloc", "calloc", "realloc", "free", "aligned_alloc", "posix_memalign", "_Znwm",
                 "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv", "_ZnwmSt11align_val_t",
                 "_ZdlPvSt11align_val_t", "_ZdlPvmSt11align_val_t"})) {
    return "declare scratch memory as a [workspace], or use a local array of fixed size";
  }
  if (is_one_of({"clock_gettime", "clock", "time", "gettimeofday",
                 "_ZNSt6chrono3_V212system_clock3nowEv", "_ZNSt6chrono3_V212steady_clock3nowEv"})) {
    return "a kernel has no clock";
  }
  if (symbol.starts_with("pthread_") || symbol.starts_with("GOMP_") ||
      symbol.starts_with("__kmpc_") || symbol == "thrd_create") {
    return "declare a grid: the engine runs its points on the threads it was given";
  }
  if (is_one_of({"__assert_fail", "abort", "exit", "_exit", "puts", "printf", "putchar", "fprintf",
                 "write", "fwrite", "_ZSt20__throw_length_errorPKc",
                 "_ZSt24__throw_out_of_range_fmtPKcz"})) {
    return "leave checks and output out of the kernel";
  }
  if (symbol == "__tls_get_addr") return "thread-local state is not allowed; use local variables";
  return "allowed are memcpy, memmove, memset, memcmp and the functions of <cmath>";
}

class Inspector {
 public:
  Inspector(const ElfImage& image, const MachineCode& code, std::span<const std::string> launches)
      : image_(image), code_(code), launches_(launches) {}

  std::vector<InspectionFinding> run() {
    check_imports();
    check_exports();
    check_libraries();
    check_dynamic_tags();
    check_relocations();
    check_segments();
    check_state();
    check_load_time_code();
    check_code_coverage();
    check_instructions();
    return std::move(findings_);
  }

 private:
  void report(std::string what, std::string instead = {}) {
    if (findings_.size() < kMaxFindings) findings_.push_back({std::move(what), std::move(instead)});
  }

  void check_imports() {
    for (const ElfSymbol& symbol : image_.dynamic_symbols()) {
      if (symbol.section != SHN_UNDEF || is_allowed_import(symbol.name)) continue;
      report("calls " + readable_name(symbol.name), advice_for_import(symbol.name));
    }
  }

  void check_exports() {
    std::set<std::string_view> missing(launches_.begin(), launches_.end());
    for (const ElfSymbol& symbol : image_.dynamic_symbols()) {
      if (symbol.section == SHN_UNDEF) continue;
      const bool expected = missing.erase(symbol.name) == 1;
      if (!expected) {
        report("exports " + readable_name(symbol.name), "only the engine's launchers are exported");
      } else if (symbol.type != STT_FUNC || !is_code(symbol.address)) {
        report(readable_name(symbol.name) + " is not a function");
      }
    }
    for (const std::string_view name : missing) report(fmt::format("does not export {}", name));
  }

  void check_libraries() {
    static constexpr std::array<std::string_view, 4> kLibraries = {
        "libm.so.6", "libc.so.6", "libmvec.so.1", "ld-linux-x86-64.so.2"};
    for (const std::string_view name : image_.needed()) {
      if (std::find(kLibraries.begin(), kLibraries.end(), name) == kLibraries.end()) {
        report("needs the library " + readable_name(name),
               "only libm, libmvec and libc are linked");
      }
    }
  }

  void check_dynamic_tags() {
    static const std::set<std::int64_t> kAllowed = {
        DT_NEEDED, DT_PLTRELSZ,  DT_PLTGOT,   DT_HASH,      DT_STRTAB, DT_SYMTAB,  DT_RELA,
        DT_RELASZ, DT_RELAENT,   DT_STRSZ,    DT_SYMENT,    DT_PLTREL, DT_JMPREL,  DT_BIND_NOW,
        DT_FLAGS,  DT_FLAGS_1,   DT_GNU_HASH, DT_RELACOUNT, DT_VERSYM, DT_VERNEED, DT_VERNEEDNUM,
        DT_VERDEF, DT_VERDEFNUM, DT_SONAME,   DT_SYMBOLIC};
    for (const auto& [tag, value] : image_.dynamic()) {
      if (is_load_time_tag(tag)) {
        report("runs code when it is loaded",
               "no constructors, and no static variable that is computed at start");
      } else if (!kAllowed.contains(tag)) {
        report(fmt::format("has the dynamic entry {:#x}", tag));
      } else if (tag == DT_FLAGS && (value & ~std::uint64_t{DF_BIND_NOW | DF_SYMBOLIC}) != 0) {
        report(fmt::format("has the dynamic flags {:#x}", value),
               "no thread-local variables, no relocations in code");
      } else if (tag == DT_FLAGS_1 && (value & ~std::uint64_t{DF_1_NOW}) != 0) {
        report(fmt::format("has the dynamic flags 1 {:#x}", value));
      }
    }
  }

  static bool is_load_time_tag(std::int64_t tag) {
    return tag == DT_INIT || tag == DT_FINI || tag == DT_INIT_ARRAY || tag == DT_FINI_ARRAY ||
           tag == DT_INIT_ARRAYSZ || tag == DT_FINI_ARRAYSZ || tag == DT_PREINIT_ARRAY ||
           tag == DT_PREINIT_ARRAYSZ;
  }

  void check_relocations() {
    static const std::set<std::uint32_t> kAllowed = {R_X86_64_NONE, R_X86_64_64, R_X86_64_RELATIVE,
                                                     R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT};
    std::set<std::uint32_t> seen;
    for (const std::uint32_t type : image_.relocation_types()) {
      if (kAllowed.contains(type) || !seen.insert(type).second) continue;
      const bool resolver = type == R_X86_64_IRELATIVE;
      report(resolver ? "chooses a function when it is loaded (ifunc, target_clones)"
                      : fmt::format("has a relocation of type {}", type),
             resolver ? "compile for this machine only: no target_clones" : "");
    }
  }

  void check_segments() {
    for (const ElfSegment& segment : image_.segments()) {
      switch (segment.type) {
        case PT_LOAD:
          if ((segment.flags & PF_W) != 0 && (segment.flags & PF_X) != 0) {
            report("has memory that is both writable and executable");
          }
          if ((segment.flags & PF_W) != 0 && !is_sealed(segment)) report_state(segment);
          break;
        case PT_TLS:
          report("has thread-local variables", "use local variables, or declare a [workspace]");
          break;
        case PT_GNU_STACK:
          if ((segment.flags & PF_X) != 0) report("asks for an executable stack");
          break;
        case PT_INTERP:
          report("names a program interpreter");
          break;
        default:
          break;
      }
    }
  }

  // Writable only while the loader relocates it, read-only before any code of the object runs.
  [[nodiscard]] bool is_sealed(const ElfSegment& segment) const {
    for (const ElfSegment& sealed : image_.segments()) {
      if (sealed.type != PT_GNU_RELRO || sealed.address > segment.address) continue;
      // The loader protects whole pages, rounding the end down.
      const std::uint64_t end = (sealed.address + sealed.memory_size) / kPage * kPage;
      if (end >= segment.address + segment.memory_size) return true;
    }
    return segment.memory_size == 0;
  }

  void report_state(const ElfSegment& segment) {
    bool named = false;
    for (const ElfSymbol& symbol : image_.symbols()) {
      if (symbol.type != STT_OBJECT || symbol.section == SHN_UNDEF || is_read_only(symbol))
        continue;
      if (symbol.address < segment.address ||
          symbol.address - segment.address >= segment.memory_size) {
        continue;
      }
      named = true;
      report("keeps state between launches: the static variable " + readable_name(symbol.name),
             "make it const, or declare a [workspace]");
    }
    if (!named) {
      report("keeps state between launches: writable static data",
             "make it const, or declare a [workspace]");
    }
  }

  // In a section that the linker puts into the sealed part.
  [[nodiscard]] bool is_read_only(const ElfSymbol& symbol) const {
    if (symbol.section >= image_.sections().size()) return false;
    const std::string_view name = image_.sections()[symbol.section].name;
    return name.starts_with(".data.rel.ro") || name == ".dynamic" || name == ".got";
  }

  // Data sections are also checked by name: an empty one-byte object must not hide in page padding.
  void check_state() {
    for (const ElfSection& section : image_.sections()) {
      const bool writable = (section.flags & SHF_ALLOC) != 0 && (section.flags & SHF_WRITE) != 0;
      if (!writable || section.size == 0) continue;
      if (section.name == ".dynamic" || section.name == ".got" || section.name == ".got.plt" ||
          section.name.starts_with(".data.rel.ro") || is_load_time_section(section)) {
        continue;
      }
      if (section.type == SHT_NOBITS || section.type == SHT_PROGBITS) {
        writable_section_ = true;
      }
    }
    const bool told = std::any_of(findings_.begin(), findings_.end(), [](const auto& finding) {
      return finding.what.starts_with("keeps state");
    });
    if (writable_section_ && !told) {
      report("keeps state between launches: writable static data",
             "make it const, or declare a [workspace]");
    }
  }

  static bool is_load_time_section(const ElfSection& section) {
    return section.type == SHT_INIT_ARRAY || section.type == SHT_FINI_ARRAY ||
           section.type == SHT_PREINIT_ARRAY || section.name.starts_with(".init") ||
           section.name.starts_with(".fini") || section.name.starts_with(".ctors") ||
           section.name.starts_with(".dtors") || section.name.starts_with(".preinit");
  }

  void check_load_time_code() {
    const bool told = std::any_of(findings_.begin(), findings_.end(), [](const auto& finding) {
      return finding.what.starts_with("runs code when");
    });
    for (const ElfSection& section : image_.sections()) {
      if (told || section.size == 0 || !is_load_time_section(section)) continue;
      report(fmt::format("runs code when it is loaded (section {})", readable_name(section.name)),
             "no constructors, and no static variable that is computed at start");
      return;
    }
  }

  [[nodiscard]] bool is_code(std::uint64_t address) const {
    return std::any_of(code_.regions.begin(), code_.regions.end(), [&](const CodeRegion& region) {
      return address >= region.begin && address < region.end;
    });
  }

  // A code section has to be where its segment puts it, or other bytes were read than will run.
  [[nodiscard]] bool is_mapped_as_swept(const ElfSection& section) const {
    return std::any_of(
        image_.segments().begin(), image_.segments().end(), [&](const ElfSegment& segment) {
          return segment.type == PT_LOAD && (segment.flags & PF_X) != 0 &&
                 section.address >= segment.address &&
                 section.address + section.size <= segment.address + segment.file_size &&
                 section.address - segment.address == section.offset - segment.offset;
        });
  }

  // Executable bytes outside the sections that were swept must be zero: nothing hides between them.
  void check_code_coverage() {
    for (const ElfSection& section : image_.sections()) {
      if ((section.flags & SHF_EXECINSTR) != 0 && section.size != 0 &&
          !is_mapped_as_swept(section)) {
        report("has code that is not loaded where it is stored");
      }
    }
    for (const ElfSegment& segment : image_.segments()) {
      if (segment.type != PT_LOAD || (segment.flags & PF_X) == 0) continue;
      std::string rest(image_.bytes().substr(segment.offset, segment.file_size));
      for (const CodeRegion& region : code_.regions) {
        const std::uint64_t begin = std::max(region.begin, segment.address);
        const std::uint64_t end = std::min(region.end, segment.address + segment.file_size);
        if (begin < end) {
          std::fill_n(rest.begin() + static_cast<std::ptrdiff_t>(begin - segment.address),
                      end - begin, '\0');
        }
      }
      if (rest.find_first_not_of('\0') != std::string::npos ||
          segment.memory_size != segment.file_size) {
        report("has executable bytes outside its code sections");
      }
    }
  }

  void check_instructions() {
    for (const std::string& problem : code_.problems) {
      report("has code that cannot be read: " + problem,
             "no data or overlapping code in functions");
    }
    std::set<std::pair<std::string, std::string>> seen;
    for (const CodeRegion& region : code_.regions) {
      for (const Instruction& instruction : region.instructions) {
        if (instruction.forbidden == nullptr) continue;
        const std::string name = mnemonic_name(instruction);
        if (!seen.emplace(name, region.name).second) continue;
        report(fmt::format("uses the instruction {} in {}, which {}", name,
                           readable_name(region.name), instruction.forbidden),
               "arithmetic, memory access, prefetch and non-temporal stores are allowed");
      }
    }
  }

  const ElfImage& image_;
  const MachineCode& code_;
  std::span<const std::string> launches_;
  std::vector<InspectionFinding> findings_;
  bool writable_section_ = false;
};

// The names that glibc's headers or the compilers make of a math function.
bool is_math_function(std::string_view name) {
  const auto known = [](std::string_view base) {
    return std::find(kMath.begin(), kMath.end(), base) != kMath.end();
  };
  if (known(name)) return true;
  if (name.ends_with('f') || name.ends_with('l')) {
    if (known(name.substr(0, name.size() - 1))) return true;
  }
  // -ffinite-math-only called __exp_finite and friends in older C libraries.
  if (name.starts_with("__") && name.ends_with("_finite")) {
    return is_math_function(name.substr(2, name.size() - 9));
  }
  return name.starts_with("lgamma") && (name == "lgamma_r" || name == "lgammaf_r");
}

}  // namespace

bool is_allowed_import(std::string_view symbol) {
  if (std::find(kMemory.begin(), kMemory.end(), symbol) != kMemory.end()) return true;
  // libmvec: _ZGV<isa><mask><lanes><parameters>_<function>.
  if (symbol.starts_with("_ZGV")) {
    const std::size_t at = symbol.find('_', 4);
    return at != std::string_view::npos && is_math_function(symbol.substr(at + 1));
  }
  return is_math_function(symbol);
}

std::vector<InspectionFinding> inspect_object(const ElfImage& image, const MachineCode& code,
                                              std::span<const std::string> launches) {
  return Inspector(image, code, launches).run();
}

std::string finding_text(const InspectionFinding& finding) {
  if (finding.instead.empty()) return finding.what;
  return finding.what + "; instead: " + finding.instead;
}

}  // namespace kernatlas
