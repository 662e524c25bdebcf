// The engine's own cost: settled evaluations per second on the recorded backend with the durable
// store, against a bare loop that inserts the very same rows into SQLite with the same pragmas and
// grouping; and how long a run of a million evaluations takes to come back.
//
//   kernatlas-bench-engine [EVALUATIONS [ROWS]]     a JSON object a line
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/recorded/recorded_task.h"
#include "engine/search/axes.h"
#include "engine/search/search.h"
#include "kernel/rng.h"

namespace kernatlas {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3;
constexpr int kValues = 128;  // of each of three tunables: 2^21 configurations

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// A smooth landscape with some noise and one failure in sixteen.
void write_table(const fs::path& file) {
  std::string text = "A,B,C,status,median_ms,compile_ms,benchmark_ms\n";
  for (int a = 1; a <= kValues; ++a) {
    for (int b = 1; b <= kValues; ++b) {
      for (int c = 1; c <= kValues; ++c) {
        const std::uint64_t bits =
            mix64(static_cast<std::uint64_t>((a * kValues + b) * kValues + c));
        const double ms = 1 + 0.001 * ((a - 90) * (a - 90) + (b - 20) * (b - 20)) / 16.0 +
                          0.01 * c + 0.1 * static_cast<double>(bits % 64) / 64;
        fmt::format_to(std::back_inserter(text), "{},{},{},{},{:.4f},300,40\n", a, b, c,
                       bits % 16 == 0 ? "crashed" : "measured", ms);
      }
    }
  }
  std::ofstream(file, std::ios::binary) << text;
}

struct Setting {
  std::shared_ptr<const Task> task;
  std::unique_ptr<Bench> bench;
};

Setting open_setting(const fs::path& table) {
  Setting setting;
  setting.task = must(load_recorded_task(table));
  BenchOptions options;
  options.parameters["noise"] = "0.02";
  const BackendRegistry backends = default_backends();
  setting.bench = must(backends.find("recorded")->open(setting.task, options));
  return setting;
}

SearchOptions search_options(std::uint64_t evaluations) {
  SearchOptions options;
  options.seed = 1;
  options.policy = must(find_policy("map-elites"));
  options.budget.evaluations = evaluations;
  return options;
}

class StopAtFirst final : public SearchObserver {
 public:
  void settled(const SettledRow&, const SearchStatus&) override {
    if (first_ == Clock::time_point{}) first_ = Clock::now();
  }
  [[nodiscard]] double seconds_after(Clock::time_point start) const {
    return std::chrono::duration<double>(first_ - start).count();
  }

 private:
  Clock::time_point first_{};
};

std::unique_ptr<RunDatabase> create_run(const fs::path& dir, const Setting& setting) {
  RunInfo info;
  info.task = setting.task->name;
  info.task_hash = setting.task->hash.hex();
  info.backend = "recorded";
  info.axes_json = axes_to_json(must(make_axes(setting.task->axes)));
  info.policy = "map-elites";
  return must(RunDatabase::create(dir, info));
}

// Runs until `evaluations` are settled; seconds it took, the last commit included.
double search_once(const fs::path& dir, const Setting& setting, std::uint64_t evaluations) {
  const auto database = create_run(dir, setting);
  OperatorRegistry operators = default_operators();
  const auto start = Clock::now();
  Search search(setting.task, *setting.bench, operators, *database, search_options(evaluations));
  must(search.run());
  return seconds_since(start);
}

// A thin layer over SQLite for the bare loop; every failure throws.
class Sqlite {
 public:
  explicit Sqlite(const fs::path& file) {
    if (sqlite3_open(file.c_str(), &database_) != SQLITE_OK)
      throw std::runtime_error("sqlite3_open");
  }
  ~Sqlite() { sqlite3_close(database_); }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;
  void execute(const std::string& sql) {
    if (sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_));
    }
  }
  sqlite3_stmt* prepare(const std::string& sql) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      throw std::runtime_error(sqlite3_errmsg(database_));
    }
    return statement;
  }

 private:
  sqlite3* database_ = nullptr;
};

// A table's creating statement and all its rows, as SQLite holds them.
struct TableCopy {
  std::string name;
  std::string sql;
  int columns = 0;
  std::vector<sqlite3_value*> values;

  TableCopy(Sqlite& from, std::string table) : name(std::move(table)) {
    sqlite3_stmt* schema =
        from.prepare("SELECT sql FROM sqlite_schema WHERE name = '" + name + "'");
    if (sqlite3_step(schema) != SQLITE_ROW) throw std::runtime_error("no table " + name);
    sql = reinterpret_cast<const char*>(sqlite3_column_text(schema, 0));
    sqlite3_finalize(schema);
    sqlite3_stmt* rows = from.prepare("SELECT * FROM " + name);
    columns = sqlite3_column_count(rows);
    while (sqlite3_step(rows) == SQLITE_ROW) {
      for (int i = 0; i < columns; ++i) {
        values.push_back(sqlite3_value_dup(sqlite3_column_value(rows, i)));
      }
    }
    sqlite3_finalize(rows);
  }
  ~TableCopy() {
    for (sqlite3_value* value : values) sqlite3_value_free(value);
  }
  TableCopy(const TableCopy&) = delete;
  TableCopy& operator=(const TableCopy&) = delete;
  [[nodiscard]] std::size_t rows() const {
    return values.size() / static_cast<std::size_t>(columns);
  }
  [[nodiscard]] std::string insertion() const {
    std::string marks = "?";
    for (int i = 1; i < columns; ++i) marks += ",?";
    return "INSERT INTO " + name + " VALUES(" + marks + ")";
  }
  void insert(sqlite3_stmt* statement, std::size_t row) const {
    sqlite3_reset(statement);
    for (int i = 0; i < columns; ++i) {
      sqlite3_bind_value(
          statement, i + 1,
          values[row * static_cast<std::size_t>(columns) + static_cast<std::size_t>(i)]);
    }
    if (sqlite3_step(statement) != SQLITE_DONE) throw std::runtime_error("insert");
  }
};

// The reference: one thread, one statement a table, the store's pragmas, its rows a transaction.
double insert_once(const fs::path& file, const TableCopy& evaluations, const TableCopy& records) {
  Sqlite to(file);
  to.execute(
      "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "PRAGMA wal_autocheckpoint = 2000; PRAGMA temp_store = MEMORY");
  to.execute(evaluations.sql);
  to.execute(records.sql);
  const auto start = Clock::now();
  sqlite3_stmt* evaluation = to.prepare(evaluations.insertion());
  sqlite3_stmt* record = to.prepare(records.insertion());
  for (std::size_t row = 0; row < evaluations.rows(); ++row) {
    if (row % RunDatabase::kCommitRows == 0) to.execute(row == 0 ? "BEGIN" : "COMMIT; BEGIN");
    evaluations.insert(evaluation, row);
    records.insert(record, row);
  }
  to.execute("COMMIT");
  const double seconds = seconds_since(start);
  sqlite3_finalize(evaluation);
  sqlite3_finalize(record);
  return seconds;
}

void print(const char* name, double value, const char* unit, const char* reference,
           double reference_value, double ratio, int runs) {
  const nlohmann::ordered_json line{{"name", name},
                                    {"value", value},
                                    {"unit", unit},
                                    {"reference", reference},
                                    {"reference_value", reference_value},
                                    {"ratio", ratio},
                                    {"runs", runs}};
  fmt::print("{}\n", line.dump());
  std::fflush(stdout);
}

void bench_rate(const fs::path& dir, const Setting& setting, std::uint64_t evaluations) {
  search_once(dir / "warm", setting, evaluations);
  Sqlite from(dir / "warm" / "run.db");
  const TableCopy evaluation(from, "evaluation");
  const TableCopy record(from, "record");
  std::vector<double> engine, bare;
  for (int round = 0; round < kRounds; ++round) {
    engine.push_back(search_once(dir / fmt::format("run{}", round), setting, evaluations));
    bare.push_back(insert_once(dir / fmt::format("bare{}.db", round), evaluation, record));
  }
  const double ours = static_cast<double>(evaluations) / median(engine);
  const double theirs = static_cast<double>(evaluation.rows()) / median(bare);
  print("settled evaluations, recorded backend, durable store", ours, "1/s",
        "bare loop inserting the same rows into SQLite", theirs, ours / theirs, kRounds);
}

// In a process of its own, so that its peak memory is the resumed run's.
int resume_child(const fs::path& table, const fs::path& run, std::uint64_t rows) {
  const Setting setting = open_setting(table);
  OperatorRegistry operators = default_operators();
  const auto start = Clock::now();
  const auto database = must(RunDatabase::open(run));
  Search search(setting.task, *setting.bench, operators, *database, search_options(rows + 1));
  StopAtFirst first;
  must(search.run(&first));
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print("{} {}\n", first.seconds_after(start), static_cast<double>(usage.ru_maxrss) / 1024);
  return 0;
}

// Seconds for reading the columns that a resume needs, and nothing more.
double read_once(const fs::path& run) {
  Sqlite from(run / "run.db");
  const auto start = Clock::now();
  sqlite3_stmt* rows = from.prepare("SELECT * FROM evaluation ORDER BY ticket");
  std::uint64_t sum = 0;
  while (sqlite3_step(rows) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(rows); ++i) {
      sum += static_cast<std::uint64_t>(sqlite3_column_bytes(rows, i) == 0);
    }
  }
  sqlite3_finalize(rows);
  const double seconds = seconds_since(start);
  if (sum == ~std::uint64_t{0}) throw std::runtime_error("unreachable");
  return seconds;
}

void bench_resume(const fs::path& dir, const Setting& setting, std::uint64_t rows) {
  const fs::path run = dir / "long";
  search_once(run, setting, rows);
  const std::string command =
      fmt::format("'{}' --resume '{}' '{}' ", fs::read_symlink("/proc/self/exe").string(),
                  (dir / "table.csv").string(), run.string());
  std::vector<double> seconds, reading;
  double megabytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    FILE* child =
        popen((command + std::to_string(rows + static_cast<std::uint64_t>(round))).c_str(), "r");
    double one = 0;
    double peak = 0;
    if (child == nullptr || std::fscanf(child, "%lf %lf", &one, &peak) != 2 || pclose(child) != 0) {
      throw std::runtime_error("the resuming process failed");
    }
    seconds.push_back(one);
    megabytes = std::max(megabytes, peak);
    reading.push_back(read_once(run));
  }
  const double ours = median(seconds);
  const double bare = median(reading);
  print("resume to the first new outcome", ours, "s", "bare loop reading the same rows from SQLite",
        bare, ours / bare, kRounds);
  print("peak memory of that resume", megabytes, "MiB", "the limit asked for", 2048,
        megabytes / 2048, kRounds);
}

int run(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--resume") {
    return resume_child(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10));
  }
  const std::uint64_t evaluations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 200000;
  const std::uint64_t rows = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  std::string pattern = (fs::temp_directory_path() / "kernatlas-bench-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  const fs::path dir = pattern;
  write_table(dir / "table.csv");
  const Setting setting = open_setting(dir / "table.csv");
  bench_rate(dir, setting, evaluations);
  if (rows > 0) bench_resume(dir, setting, rows);
  fs::remove_all(dir);
  return 0;
}

}  // namespace
}  // namespace kernatlas

int main(int argc, char** argv) {
  try {
    return kernatlas::run(argc, argv);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "kernatlas-bench-engine: %s\n", problem.what());
    return 1;
  }
}
