#include "backends/cpu/instruction.h"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

namespace kernatlas {

namespace {

using Flow = Instruction::Flow;
using Work = Instruction::Work;

struct Decoded {
  ZydisDecodedInstruction instruction;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

  [[nodiscard]] ZydisInstructionCategory category() const { return instruction.meta.category; }
  [[nodiscard]] ZydisMnemonic mnemonic() const { return instruction.mnemonic; }
  [[nodiscard]] bool is(std::initializer_list<ZydisMnemonic> list) const {
    return std::find(list.begin(), list.end(), instruction.mnemonic) != list.end();
  }
};

bool any_of(ZydisInstructionCategory value, std::initializer_list<ZydisInstructionCategory> list) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Categories whose members compute, move or branch, and nothing else. Everything not named here is
// forbidden, so an extension that this decoder learns later is not let in by accident.
constexpr ZydisInstructionCategory kOrdinary[] = {
    ZYDIS_CATEGORY_ADOX_ADCX,     ZYDIS_CATEGORY_AES,         ZYDIS_CATEGORY_AVX,
    ZYDIS_CATEGORY_AVX2,          ZYDIS_CATEGORY_AVX2GATHER,  ZYDIS_CATEGORY_AVX512,
    ZYDIS_CATEGORY_AVX512_BITALG, ZYDIS_CATEGORY_AVX512_VBMI, ZYDIS_CATEGORY_AVX512_VP2INTERSECT,
    ZYDIS_CATEGORY_BINARY,        ZYDIS_CATEGORY_BITBYTE,     ZYDIS_CATEGORY_BLEND,
    ZYDIS_CATEGORY_BMI1,          ZYDIS_CATEGORY_BMI2,        ZYDIS_CATEGORY_BROADCAST,
    ZYDIS_CATEGORY_CALL,          ZYDIS_CATEGORY_CET,         ZYDIS_CATEGORY_CMOV,
    ZYDIS_CATEGORY_COMPRESS,      ZYDIS_CATEGORY_COND_BR,     ZYDIS_CATEGORY_CONFLICT,
    ZYDIS_CATEGORY_CONVERT,       ZYDIS_CATEGORY_DATAXFER,    ZYDIS_CATEGORY_EXPAND,
    ZYDIS_CATEGORY_FCMOV,         ZYDIS_CATEGORY_FLAGOP,      ZYDIS_CATEGORY_FMA4,
    ZYDIS_CATEGORY_FP16,          ZYDIS_CATEGORY_GATHER,      ZYDIS_CATEGORY_GFNI,
    ZYDIS_CATEGORY_IFMA,          ZYDIS_CATEGORY_KMASK,       ZYDIS_CATEGORY_LOGICAL,
    ZYDIS_CATEGORY_LOGICAL_FP,    ZYDIS_CATEGORY_LZCNT,       ZYDIS_CATEGORY_MISC,
    ZYDIS_CATEGORY_MMX,           ZYDIS_CATEGORY_NOP,         ZYDIS_CATEGORY_PCLMULQDQ,
    ZYDIS_CATEGORY_POP,           ZYDIS_CATEGORY_PREFETCH,    ZYDIS_CATEGORY_PREFETCHWT1,
    ZYDIS_CATEGORY_PUSH,          ZYDIS_CATEGORY_RET,         ZYDIS_CATEGORY_ROTATE,
    ZYDIS_CATEGORY_SCATTER,       ZYDIS_CATEGORY_SEMAPHORE,   ZYDIS_CATEGORY_SETCC,
    ZYDIS_CATEGORY_SHA,           ZYDIS_CATEGORY_SHIFT,       ZYDIS_CATEGORY_SSE,
    ZYDIS_CATEGORY_STRINGOP,      ZYDIS_CATEGORY_STTNI,       ZYDIS_CATEGORY_TBM,
    ZYDIS_CATEGORY_UFMA,          ZYDIS_CATEGORY_UNCOND_BR,   ZYDIS_CATEGORY_VAES,
    ZYDIS_CATEGORY_VBMI2,         ZYDIS_CATEGORY_VEX,         ZYDIS_CATEGORY_VFMA,
    ZYDIS_CATEGORY_VPCLMULQDQ,    ZYDIS_CATEGORY_WIDENOP,     ZYDIS_CATEGORY_X87_ALU,
    ZYDIS_CATEGORY_XOP,
};

bool is_ordinary(ZydisInstructionCategory category) {
  return std::find(std::begin(kOrdinary), std::end(kOrdinary), category) != std::end(kOrdinary);
}

bool touches_segment(const Decoded& decoded) {
  for (std::size_t i = 0; i < decoded.instruction.operand_count; ++i) {
    const ZydisDecodedOperand& operand = decoded.operands[i];
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER &&
        ZydisRegisterGetClass(operand.reg.value) == ZYDIS_REGCLASS_SEGMENT) {
      return true;
    }
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY &&
        (operand.mem.segment == ZYDIS_REGISTER_FS || operand.mem.segment == ZYDIS_REGISTER_GS)) {
      return true;
    }
  }
  return false;
}

// Members of ordinary categories that are not ordinary.
const char* special_reason(const Decoded& decoded) {
  if (decoded.is({ZYDIS_MNEMONIC_LDMXCSR, ZYDIS_MNEMONIC_VLDMXCSR, ZYDIS_MNEMONIC_FLDCW,
                  ZYDIS_MNEMONIC_FLDENV, ZYDIS_MNEMONIC_FRSTOR, ZYDIS_MNEMONIC_FNINIT})) {
    return "changes the rounding or denormal mode";
  }
  if (decoded.is({ZYDIS_MNEMONIC_CPUID})) return "identifies the processor";
  if (decoded.is(
          {ZYDIS_MNEMONIC_POPF, ZYDIS_MNEMONIC_POPFD, ZYDIS_MNEMONIC_POPFQ, ZYDIS_MNEMONIC_STD})) {
    return "changes processor flags that outlive the kernel";
  }
  if (decoded.is({ZYDIS_MNEMONIC_MONITOR, ZYDIS_MNEMONIC_MONITORX, ZYDIS_MNEMONIC_MWAIT,
                  ZYDIS_MNEMONIC_MWAITX, ZYDIS_MNEMONIC_CLFLUSH})) {
    return "waits on or flushes cache lines";
  }
  if (decoded.is({ZYDIS_MNEMONIC_XBEGIN, ZYDIS_MNEMONIC_XABORT, ZYDIS_MNEMONIC_XEND,
                  ZYDIS_MNEMONIC_XTEST})) {
    return "uses hardware transactions";
  }
  // Of this category only the markers of branch targets are harmless.
  if (decoded.category() == ZYDIS_CATEGORY_CET &&
      !decoded.is({ZYDIS_MNEMONIC_ENDBR64, ZYDIS_MNEMONIC_ENDBR32})) {
    return "changes the shadow stack";
  }
  if (decoded.instruction.meta.branch_type == ZYDIS_BRANCH_TYPE_FAR ||
      decoded.is({ZYDIS_MNEMONIC_IRET, ZYDIS_MNEMONIC_IRETD, ZYDIS_MNEMONIC_IRETQ})) {
    return "jumps to another code segment";
  }
  return nullptr;
}

const char* forbidden_reason(const Decoded& decoded) {
  if ((decoded.instruction.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0) return "is privileged";
  switch (decoded.category()) {
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT:
      return "calls the operating system";
    case ZYDIS_CATEGORY_RDRAND:
    case ZYDIS_CATEGORY_RDSEED:
      return "reads a random number";
    default:
      break;
  }
  if (decoded.is({ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_RDTSCP, ZYDIS_MNEMONIC_RDPMC,
                  ZYDIS_MNEMONIC_RDPRU})) {
    return "reads a clock or a counter";
  }
  if (const char* reason = special_reason(decoded)) return reason;
  if (!is_ordinary(decoded.category())) return "is a system or control instruction";
  return touches_segment(decoded) ? "uses a segment register" : nullptr;
}

Flow flow_of(const Decoded& decoded) {
  const ZydisDecodedOperand& first = decoded.operands[0];
  const bool direct = decoded.instruction.operand_count > 0 &&
                      first.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && first.imm.is_relative;
  switch (decoded.category()) {
    case ZYDIS_CATEGORY_COND_BR:
      return direct ? Flow::branch : Flow::next;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return direct ? Flow::jump : Flow::indirect_jump;
    case ZYDIS_CATEGORY_CALL:
      return direct ? Flow::call : Flow::indirect_call;
    case ZYDIS_CATEGORY_RET:
      return Flow::ret;
    default:
      return Flow::next;
  }
}

// Widest vector register among the explicit operands, bits.
std::uint16_t vector_bits_of(const Decoded& decoded) {
  std::uint16_t bits = 0;
  for (std::size_t i = 0; i < decoded.instruction.operand_count_visible; ++i) {
    const ZydisDecodedOperand& operand = decoded.operands[i];
    if (operand.type != ZYDIS_OPERAND_TYPE_REGISTER) continue;
    const ZydisRegisterClass kind = ZydisRegisterGetClass(operand.reg.value);
    if (kind == ZYDIS_REGCLASS_XMM) bits = std::max<std::uint16_t>(bits, 128);
    if (kind == ZYDIS_REGCLASS_YMM) bits = std::max<std::uint16_t>(bits, 256);
    if (kind == ZYDIS_REGCLASS_ZMM) bits = std::max<std::uint16_t>(bits, 512);
  }
  return bits;
}

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// "vmulss", "cvtsi2sd": one lane only. Packed integer names may end alike: "vpminsd".
bool is_scalar_name(std::string_view name) {
  if (starts_with_any(name, {"p", "vp"})) return false;
  return name.ends_with("ss") || name.ends_with("sd") || name.ends_with("sh") ||
         name.ends_with("si") || name.ends_with("si2");
}

// Lane movement, with or without the leading v.
bool is_rearranging_name(std::string_view name) {
  if (name.starts_with('v')) name.remove_prefix(1);
  return starts_with_any(name,
                         {"perm",       "shuf",     "pshuf",     "unpck",    "punpck",  "insert",
                          "extract",    "pinsr",    "pextr",     "blend",    "pblend",  "align",
                          "palign",     "compress", "pcompress", "expand",   "pexpand", "broadcast",
                          "pbroadcast", "movddup",  "movshdup",  "movsldup", "pack"});
}

// "vpxor a, b, b".
bool clears_register(const Decoded& decoded, std::string_view name) {
  if (name.find("xor") == std::string_view::npos && name.find("andn") == std::string_view::npos) {
    return false;
  }
  const std::size_t count = decoded.instruction.operand_count_visible;
  if (count < 2) return false;
  const ZydisDecodedOperand& a = decoded.operands[count - 1];
  const ZydisDecodedOperand& b = decoded.operands[count - 2];
  return a.type == ZYDIS_OPERAND_TYPE_REGISTER && b.type == ZYDIS_OPERAND_TYPE_REGISTER &&
         a.reg.value == b.reg.value;
}

bool writes_memory(const Decoded& decoded) {
  const ZydisDecodedOperand& first = decoded.operands[0];
  return decoded.instruction.operand_count_visible > 0 && first.type == ZYDIS_OPERAND_TYPE_MEMORY &&
         first.mem.type == ZYDIS_MEMOP_TYPE_MEM &&
         (first.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
}

bool moves_only(const Decoded& decoded) {
  return any_of(decoded.category(),
                {ZYDIS_CATEGORY_DATAXFER, ZYDIS_CATEGORY_AVX2GATHER, ZYDIS_CATEGORY_GATHER,
                 ZYDIS_CATEGORY_SCATTER, ZYDIS_CATEGORY_PREFETCH, ZYDIS_CATEGORY_PREFETCHWT1,
                 ZYDIS_CATEGORY_KMASK});
}

void classify_work(const Decoded& decoded, Instruction& result) {
  const std::uint16_t bits = vector_bits_of(decoded);
  if (bits == 0) {
    // x87 and read-modify-write of a counter in memory are work; other integer code is addressing.
    const bool counts = any_of(decoded.category(), {ZYDIS_CATEGORY_BINARY, ZYDIS_CATEGORY_LOGICAL,
                                                    ZYDIS_CATEGORY_SEMAPHORE}) &&
                        writes_memory(decoded);
    if (counts) result.work = Work::compute;
    return;
  }
  if (moves_only(decoded)) return;
  const std::string_view name = ZydisMnemonicGetString(decoded.mnemonic());
  // A broadcast from memory is a load; a move with the V of vector before it is one, too.
  if (starts_with_any(name, {"mov", "vmov", "lddqu", "vlddqu", "ldmxcsr", "stmxcsr"})) {
    if (is_rearranging_name(name)) result.work = Work::rearrange;
  } else if (is_rearranging_name(name)) {
    const bool loads = decoded.category() == ZYDIS_CATEGORY_BROADCAST && result.memory_bits != 0;
    if (!loads) result.work = Work::rearrange;
    // Compilers select scalars with 128-bit blends.
    if (bits == 128 && name.find("blend") != std::string_view::npos) return;
  } else if (is_scalar_name(name)) {
    result.work = Work::compute;
    return;  // one lane: no vector width
  } else {
    const bool logical =
        any_of(decoded.category(), {ZYDIS_CATEGORY_LOGICAL, ZYDIS_CATEGORY_LOGICAL_FP});
    if (logical && clears_register(decoded, name)) return;
    result.work = Work::compute;
    // Scalar code takes signs and absolute values with 128-bit logic: no sign of vector code.
    if (logical && bits == 128) return;
  }
  if (result.work != Work::other) result.vector_bits = bits;
}

bool is_streaming(const Decoded& decoded) {
  return decoded.is({ZYDIS_MNEMONIC_MOVNTI, ZYDIS_MNEMONIC_MOVNTQ, ZYDIS_MNEMONIC_MOVNTPS,
                     ZYDIS_MNEMONIC_MOVNTPD, ZYDIS_MNEMONIC_MOVNTDQ, ZYDIS_MNEMONIC_MOVNTDQA,
                     ZYDIS_MNEMONIC_MOVNTSS, ZYDIS_MNEMONIC_MOVNTSD, ZYDIS_MNEMONIC_VMOVNTPS,
                     ZYDIS_MNEMONIC_VMOVNTPD, ZYDIS_MNEMONIC_VMOVNTDQ, ZYDIS_MNEMONIC_VMOVNTDQA,
                     ZYDIS_MNEMONIC_MASKMOVDQU, ZYDIS_MNEMONIC_VMASKMOVDQU});
}

}  // namespace

struct InstructionDecoder::State {
  ZydisDecoder decoder;
  Decoded decoded;
  bool frame_based = false;

  // Explicit memory operands: width, stack, rip-relative reference.
  void classify_memory(Instruction& result) {
    frame_based = false;
    for (std::size_t i = 0; i < decoded.instruction.operand_count; ++i) {
      const ZydisDecodedOperand& operand = decoded.operands[i];
      if (operand.type != ZYDIS_OPERAND_TYPE_MEMORY) continue;
      if (operand.mem.base == ZYDIS_REGISTER_RIP) {
        // Data beside the code is constant: neither traffic nor a sign of structure.
        result.code_reference =
            result.address + result.length + static_cast<std::uint64_t>(operand.mem.disp.value);
        continue;
      }
      if (operand.visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
          decoded.category() != ZYDIS_CATEGORY_STRINGOP) {
        continue;  // push, pop, call
      }
      if (operand.mem.type == ZYDIS_MEMOP_TYPE_VSIB) result.gathers = true;
      if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) continue;
      if (operand.mem.base == ZYDIS_REGISTER_RSP || operand.mem.base == ZYDIS_REGISTER_RBP) {
        result.on_stack = true;
        frame_based = operand.mem.base == ZYDIS_REGISTER_RBP;
      }
      result.memory_bits = std::max(result.memory_bits, access_bits(operand));
    }
  }

  // A broadcast in the operand reads one element, whatever the register's width.
  [[nodiscard]] std::uint16_t access_bits(const ZydisDecodedOperand& operand) const {
    const bool broadcast = decoded.instruction.avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID;
    const std::uint16_t element = operand.element_size;
    return broadcast && element != 0 ? element : operand.size;
  }
};

InstructionDecoder::InstructionDecoder() : state_(std::make_unique<State>()) {
  ZydisDecoderInit(&state_->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

InstructionDecoder::~InstructionDecoder() = default;

std::optional<Instruction> InstructionDecoder::decode(std::string_view bytes,
                                                      std::uint64_t address) const {
  Decoded& decoded = state_->decoded;
  const ZyanStatus status =
      ZydisDecoderDecodeFull(&state_->decoder, bytes.data(),
                             std::min<std::size_t>(bytes.size(), ZYDIS_MAX_INSTRUCTION_LENGTH),
                             &decoded.instruction, decoded.operands);
  if (!ZYAN_SUCCESS(status)) return std::nullopt;
  Instruction result;
  result.address = address;
  result.length = decoded.instruction.length;
  result.mnemonic = static_cast<std::uint16_t>(decoded.mnemonic());
  result.flow = flow_of(decoded);
  if (result.flow == Flow::jump || result.flow == Flow::branch || result.flow == Flow::call) {
    result.target = address + result.length + decoded.operands[0].imm.value.u;
  }
  result.forbidden = forbidden_reason(decoded);
  result.prefetches =
      any_of(decoded.category(), {ZYDIS_CATEGORY_PREFETCH, ZYDIS_CATEGORY_PREFETCHWT1});
  result.padding = any_of(decoded.category(), {ZYDIS_CATEGORY_NOP, ZYDIS_CATEGORY_WIDENOP});
  state_->classify_memory(result);
  if (result.prefetches || result.padding) result.memory_bits = 0;
  result.streams = is_streaming(decoded);
  const std::string_view name = ZydisMnemonicGetString(decoded.mnemonic());
  result.fused = starts_with_any(name, {"vfmadd", "vfmsub", "vfnmadd", "vfnmsub"});
  classify_work(decoded, result);
  return result;
}

bool InstructionDecoder::sets_frame_pointer() const {
  const Decoded& decoded = state_->decoded;
  return decoded.mnemonic() == ZYDIS_MNEMONIC_MOV &&
         decoded.operands[0].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         decoded.operands[0].reg.value == ZYDIS_REGISTER_RBP &&
         decoded.operands[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         decoded.operands[1].reg.value == ZYDIS_REGISTER_RSP;
}

bool InstructionDecoder::based_on_frame_pointer() const {
  return state_->frame_based;
}

std::string mnemonic_name(const Instruction& instruction) {
  const char* name = ZydisMnemonicGetString(static_cast<ZydisMnemonic>(instruction.mnemonic));
  return name == nullptr ? "?" : name;
}

}  // namespace kernatlas
