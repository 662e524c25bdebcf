// The subcommands. Each lives in a file of its own name and adds itself to the command line: its
// flags, its help, and what to do. Adding one: a file, a line here, a line in main.cc.
#pragma once

namespace CLI {
class App;
}

namespace kernatlas {

// Each sets `exit_code` when its subcommand was the one called.
void add_run_command(CLI::App& app, int& exit_code);
void add_resume_command(CLI::App& app, int& exit_code);
void add_show_command(CLI::App& app, int& exit_code);
void add_export_command(CLI::App& app, int& exit_code);
void add_draw_command(CLI::App& app, int& exit_code);
void add_import_command(CLI::App& app, int& exit_code);
void add_merge_command(CLI::App& app, int& exit_code);
void add_rebin_command(CLI::App& app, int& exit_code);
void add_diff_command(CLI::App& app, int& exit_code);
void add_compact_command(CLI::App& app, int& exit_code);
void add_check_command(CLI::App& app, int& exit_code);
void add_tasks_command(CLI::App& app, int& exit_code);
void add_doctor_command(CLI::App& app, int& exit_code);
void add_worker_command(CLI::App& app, int& exit_code);

}  // namespace kernatlas
