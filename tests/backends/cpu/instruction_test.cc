#include "backends/cpu/instruction.h"

#include <doctest/doctest.h>

#include <string>

using namespace kernatlas;
using Flow = Instruction::Flow;
using Work = Instruction::Work;

namespace {

Instruction decode(const std::string& hex, std::uint64_t address = 0x1000) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  const auto instruction = InstructionDecoder().decode(bytes, address);
  REQUIRE(instruction);
  CHECK(instruction->length == bytes.size());
  return *instruction;
}

}  // namespace

TEST_CASE("arithmetic: lanes, width and fusion") {
  const Instruction fma = decode("c4e27db84000");  // vfmadd231ps ymm0, ymm0, [rax]
  CHECK(mnemonic_name(fma) == "vfmadd231ps");
  CHECK(fma.work == Work::compute);
  CHECK(fma.vector_bits == 256);
  CHECK(fma.fused);
  CHECK(fma.memory_bits == 256);
  const Instruction scalar = decode("c5fa58c1");  // vaddss xmm0, xmm0, xmm1
  CHECK(scalar.work == Work::compute);
  CHECK(scalar.vector_bits == 0);
  CHECK(decode("c5f058c1").vector_bits == 128);      // vaddps xmm0, xmm1, xmm1
  CHECK(decode("62f1744858c1").vector_bits == 512);  // vaddps zmm0, zmm1, zmm1
  CHECK(decode("c4e27539c1").vector_bits == 256);    // vpminsd ymm0, ymm1, ymm1: packed
  CHECK(decode("c4e27539c1").work == Work::compute);
  CHECK(decode("4801c8").work == Work::other);        // add rax, rcx
  CHECK(decode("830001").work == Work::compute);      // add dword [rax], 1
  CHECK(decode("8b00").work == Work::other);          // mov eax, [rax]
  CHECK(decode("c5fc57c0").work == Work::other);      // vxorps ymm0, ymm0, ymm0: a zero
  CHECK(decode("c5f054c1").vector_bits == 0);         // vandps xmm: scalar code's absolute value
  CHECK(decode("c5f454c1").vector_bits == 256);       // vandps ymm
  CHECK(decode("c5fc14c1").work == Work::rearrange);  // vunpcklps ymm0, ymm0, ymm1
}

TEST_CASE("memory: width, stack, constants, gathers, streams, prefetch") {
  CHECK(decode("c5fc1000").memory_bits == 256);  // vmovups ymm0, [rax]
  CHECK(decode("c5fc1000").work == Work::other);
  CHECK(decode("c4e27d1800").memory_bits == 32);    // vbroadcastss ymm0, [rax]
  CHECK(decode("62f17c585800").memory_bits == 32);  // vaddps zmm0, zmm0, [rax]{1to16}
  CHECK(decode("8b0424").on_stack);                 // mov eax, [rsp]
  CHECK_FALSE(decode("8b00").on_stack);
  CHECK(decode("55").memory_bits == 0);                     // push rbp
  CHECK(decode("488d0408").memory_bits == 0);               // lea rax, [rax + rcx]
  const Instruction constant = decode("c5fc100510000000");  // vmovups ymm0, [rip + 16]
  CHECK(constant.memory_bits == 0);
  CHECK(constant.code_reference == 0x1000 + 8 + 16);
  CHECK(decode("c4e275920410").gathers);  // vgatherdps ymm0, [rax + ymm2], ymm1
  CHECK(decode("c5fc2b00").streams);      // vmovntps [rax], ymm0
  CHECK(decode("0fc300").streams);        // movnti [rax], eax
  const Instruction prefetch = decode("0f1808");
  CHECK(prefetch.prefetches);
  CHECK(prefetch.memory_bits == 0);
  CHECK(decode("0f1f00").padding);
  CHECK(decode("90").padding);
}

TEST_CASE("control flow and its targets") {
  CHECK(decode("e8fbffffff").flow == Flow::call);
  CHECK(decode("e8fbffffff").target == 0x1000);
  CHECK(decode("75fe").flow == Flow::branch);
  CHECK(decode("75fe").target == 0x1000);
  CHECK(decode("eb02").flow == Flow::jump);
  CHECK(decode("eb02").target == 0x1004);
  CHECK(decode("ffe0").flow == Flow::indirect_jump);
  CHECK(decode("ffd0").flow == Flow::indirect_call);
  CHECK(decode("c3").flow == Flow::ret);
  CHECK(decode("90").flow == Flow::next);
}

TEST_CASE("what is forbidden says why; the ordinary is not") {
  for (const char* hex :
       {"0f05",   "0f34",    "cc",     "cd80",     "0f31",   "0f01f9",     "0f33",
        "0fa2",   "ec",      "f4",     "0fae10",   "d928",   "f3480faed0", "c7f800000000",
        "0fc7f0", "0fc7f8",  "0fae38", "660fae38", "9d",     "fd",         "0fae20",
        "0f01d0", "0f01ee",  "0f01ef", "f30fc7f8", "cf",     "cb",         "0f01c1",
        "0f01f8", "648b00",  "658b00", "8ed8",     "0f20c0", "dbe3",       "0f01fa",
        "0f01fc", "f30f01e8"}) {
    CAPTURE(hex);
    CHECK(decode(hex).forbidden != nullptr);
  }
  for (const char* hex :
       {"90",     "c3",     "e8fbffffff", "ffe0", "0f0b", "f390",       "f30f1efa",
        "0faef8", "0fae18", "f3a4",       "f3ab", "fc",   "f00fb10f",   "c5f877",
        "0f1808", "0fc300", "f20f38f0c1", "d9e8", "c9",   "660f38f6c1", "c4e275920410"}) {
    CAPTURE(hex);
    CHECK(decode(hex).forbidden == nullptr);
  }
}

TEST_CASE("bytes that are no instruction") {
  CHECK_FALSE(InstructionDecoder().decode("\x06", 0));
  CHECK_FALSE(InstructionDecoder().decode("", 0));
  CHECK_FALSE(InstructionDecoder().decode("\x0f", 0));  // cut short
}
