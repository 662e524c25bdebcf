// Everything that reads a compiled object: ELF tables, machine code, inspection, features.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/cpu/elf_image.h"
#include "backends/cpu/machine_code.h"
#include "backends/cpu/object_features.h"
#include "backends/cpu/object_inspection.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto image = kernatlas::ElfImage::parse(bytes);
  if (!image) return 0;
  const auto code = kernatlas::decode_machine_code(*image);
  const std::vector<std::string> launches = {"kernatlas_launch_0"};
  for (const auto& finding : kernatlas::inspect_object(*image, code, launches)) {
    if (kernatlas::finding_text(finding).empty()) __builtin_trap();
  }
  if (kernatlas::cpu_features(code, {}).empty()) __builtin_trap();
  return 0;
}
