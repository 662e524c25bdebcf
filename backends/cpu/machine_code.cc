#include "backends/cpu/machine_code.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backends/cpu/instruction.h"

namespace kernatlas {

namespace {

constexpr std::size_t kMaxProblems = 16;
// A linker writes two or three; hostile assembly could ask for thousands.
constexpr std::size_t kMaxCodeSections = 64;

using Flow = Instruction::Flow;

// Where regions start: the section itself and every function in it.
std::map<std::uint64_t, std::string_view> region_starts(const ElfImage& image,
                                                        const ElfSection& section) {
  std::map<std::uint64_t, std::string_view> starts;
  for (const ElfSymbol& symbol : image.symbols()) {
    const bool is_function = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
    if (!is_function || symbol.section == SHN_UNDEF) continue;
    if (symbol.address < section.address || symbol.address - section.address >= section.size) {
      continue;
    }
    // Of two names at one place the smaller one is kept, so that the order of symbols is no matter.
    auto [at, fresh] = starts.emplace(symbol.address, symbol.name);
    if (!fresh) at->second = std::min(at->second, symbol.name);
  }
  return starts;
}

class Sweep {
 public:
  explicit Sweep(const ElfImage& image) : image_(image) {}

  MachineCode run() {
    std::size_t count = 0;
    for (const ElfSection& section : image_.sections()) {
      if ((section.flags & SHF_EXECINSTR) == 0 || section.size == 0) continue;
      if (++count > kMaxCodeSections) {
        report("more code sections than a compiler makes");
        break;
      }
      sections_.push_back(section);
      sweep_section(section);
    }
    check_targets();
    return std::move(code_);
  }

 private:
  void report(std::string text) {
    if (code_.problems.size() < kMaxProblems) code_.problems.push_back(std::move(text));
  }

  void sweep_section(const ElfSection& section) {
    if (section.type == SHT_NOBITS) {
      report(fmt::format("section {} has code without contents", section.name));
      return;
    }
    auto starts = region_starts(image_, section);
    const bool named_start = starts.contains(section.address);
    if (!named_start) starts.emplace(section.address, section.name);
    for (auto it = starts.begin(); it != starts.end(); ++it) {
      const auto next = std::next(it);
      CodeRegion region;
      region.name = std::string(it->second);
      region.begin = it->first;
      region.end = next == starts.end() ? section.address + section.size : next->first;
      region.is_function = named_start || it != starts.begin();
      decode_region(section, region);
      code_.regions.push_back(std::move(region));
    }
  }

  void decode_region(const ElfSection& section, CodeRegion& region) {
    const std::string_view bytes = image_.bytes_of(section);
    std::vector<std::size_t> frame_based;
    bool has_frame = false;
    std::uint64_t at = region.begin;
    while (at < region.end) {
      const auto instruction = decoder_.decode(bytes.substr(at - section.address), at);
      if (!instruction) {
        report(fmt::format("bytes at {}+{:#x} are not an instruction", region.name,
                           at - region.begin));
        return;
      }
      at += instruction->length;
      if (at > region.end) {
        report(fmt::format("an instruction of {} runs into what follows it", region.name));
        return;
      }
      has_frame = has_frame || decoder_.sets_frame_pointer();
      if (decoder_.based_on_frame_pointer()) frame_based.push_back(region.instructions.size());
      region.instructions.push_back(*instruction);
    }
    // Without a frame, rbp is a register like any other.
    if (!has_frame) {
      for (const std::size_t index : frame_based) region.instructions[index].on_stack = false;
    }
  }

  void check_targets();

  const ElfImage& image_;
  InstructionDecoder decoder_;
  MachineCode code_;
  std::vector<ElfSection> sections_;  // with code
};

// Every direct transfer, and every address of code that is computed, must meet the start of an
// instruction of the sweep.
void Sweep::check_targets() {
  std::vector<std::uint64_t> starts;
  for (const CodeRegion& region : code_.regions) {
    for (const Instruction& instruction : region.instructions)
      starts.push_back(instruction.address);
  }
  std::sort(starts.begin(), starts.end());
  const auto in_code = [&](std::uint64_t address) {
    return std::any_of(sections_.begin(), sections_.end(), [&](const ElfSection& section) {
      return address >= section.address && address - section.address < section.size;
    });
  };
  for (const CodeRegion& region : code_.regions) {
    for (const Instruction& instruction : region.instructions) {
      const bool transfers = instruction.flow == Flow::jump || instruction.flow == Flow::branch ||
                             instruction.flow == Flow::call;
      const std::uint64_t target = transfers ? instruction.target : instruction.code_reference;
      if (target == 0 || (!transfers && !in_code(target))) continue;
      if (std::binary_search(starts.begin(), starts.end(), target)) continue;
      report(fmt::format("{} in {} leads to {:#x}, which is not the start of an instruction",
                         mnemonic_name(instruction), region.name, target));
    }
  }
}

}  // namespace

MachineCode decode_machine_code(const ElfImage& image) {
  return Sweep(image).run();
}

}  // namespace kernatlas
