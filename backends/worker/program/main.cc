// kernatlas-worker: the process in which everything hostile runs. Started by the supervisor only.
#include <cstdio>
#include <string_view>

#include "backends/worker/program/arguments.h"
#include "backends/worker/program/exec.h"
#include "backends/worker/program/serve.h"

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const kernatlas::Arguments arguments = kernatlas::parse_arguments(argc, argv, 2);
  if (mode == "serve") return kernatlas::run_serve(arguments);
  if (mode == "exec") return kernatlas::run_exec(arguments);
  if (mode == "probe") return kernatlas::run_probe(arguments);
  std::fputs("kernatlas-worker is started by kernatlas itself (serve, exec, probe)\n", stderr);
  return 2;
}
