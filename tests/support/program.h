// Runs a program and collects what it said: for end-to-end tests.
#pragma once

#include <string>
#include <vector>

namespace kernatlas::testing {

struct ProgramResult {
  int exit_code = -1;  // 128 + signal when killed, as a shell says it
  std::string out;
  std::string err;
};

// `arguments[0]` is the program. Kills it after `timeout_s`. Standard input is empty.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& arguments,
                                        double timeout_s = 120);

// The built kernatlas with these arguments.
[[nodiscard]] ProgramResult run_kernatlas(std::vector<std::string> arguments,
                                          double timeout_s = 120);

}  // namespace kernatlas::testing
