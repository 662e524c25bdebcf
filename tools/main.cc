// The kernatlas program.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "tools/commands.h"
#include "tools/exit_code.h"
#include "tools/version.h"

namespace {

int run(int argc, char** argv) {
  CLI::App app{"kernatlas breeds fast compute kernels and keeps the best of every kind.",
               "kernatlas"};
  app.set_version_flag("--version", kernatlas::kVersion);
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 nothing correct found, 2 bad usage or input,\n"
      "3 a needed backend or tool is missing, 4 internal, 130 interrupted with state saved.");
  int exit_code = kernatlas::kExitDone;
  kernatlas::add_run_command(app, exit_code);
  kernatlas::add_resume_command(app, exit_code);
  kernatlas::add_show_command(app, exit_code);
  kernatlas::add_export_command(app, exit_code);
  kernatlas::add_draw_command(app, exit_code);
  kernatlas::add_import_command(app, exit_code);
  kernatlas::add_merge_command(app, exit_code);
  kernatlas::add_rebin_command(app, exit_code);
  kernatlas::add_diff_command(app, exit_code);
  kernatlas::add_compact_command(app, exit_code);
  kernatlas::add_check_command(app, exit_code);
  kernatlas::add_tasks_command(app, exit_code);
  kernatlas::add_doctor_command(app, exit_code);
  kernatlas::add_worker_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kernatlas::kExitDone : kernatlas::kExitBadInput;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kernatlas: internal error: %s\n", error.what());
    return kernatlas::kExitInternal;
  }
}
