// A run.db of any bytes: opening and reading everything gives errors or data that agree.
//
// The first byte of the input chooses: even, the rest is the file; odd, the rest changes a valid
// file, four bytes a change: three of position, one of value. No corpus of databases is needed.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "engine/store/run_database.h"
#include "tests/engine/store_rows.h"

namespace {

using namespace kernatlas;
namespace fs = std::filesystem;

const fs::path& run_folder() {
  static const fs::path folder = [] {
    std::string pattern = (fs::temp_directory_path() / "run-db-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    static const fs::path made = pattern;
    std::atexit([] {
      std::error_code ignored;
      fs::remove_all(made, ignored);
    });
    return made;
  }();
  return folder;
}

std::string valid_file() {
  const fs::path run = run_folder() / "valid";
  {
    auto database = RunDatabase::create(run, testing::some_info());
    if (!database) std::abort();
    for (std::uint64_t ticket = 0; ticket < 20; ++ticket) {
      if (!(*database)->settle(testing::some_row(ticket))) std::abort();
    }
    Rng rng = stream(1, 1, 1);
    if (!(*database)->add_examination(3, testing::some_outcome(rng))) std::abort();
    if (!(*database)->set_finish("budget")) std::abort();
  }
  std::ifstream in(run / "run.db", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string file_from(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] % 2 == 0) {
    return {reinterpret_cast<const char*>(data) + (size > 0 ? 1 : 0), size > 0 ? size - 1 : 0};
  }
  static const std::string valid = valid_file();
  std::string changed = valid;
  for (std::size_t i = 1; i + 4 <= size; i += 4) {
    const std::size_t at = data[i] | data[i + 1] << 8 | data[i + 2] << 16;
    changed[at % changed.size()] = static_cast<char>(data[i + 3]);
  }
  return changed;
}

void read_everything(const RunReader& reader) {
  (void)reader.info();
  (void)reader.operators();
  std::uint64_t rows = 0;
  reader.hot_rows(0, [&](const HotRow& row) {
    if (++rows < 200) {
      (void)reader.row(row.ticket);
      (void)reader.examination(row.ticket);
    }
    return true;
  });
  reader.kept_rows([](const SettledRow&) { return true; });
  (void)reader.find("00000000");
  const auto totals = reader.totals();
  std::uint64_t sum = 0;
  for (const auto& [kind, count] : totals.outcomes) sum += count;
  if (reader.health() && (sum != totals.evaluations || rows != sum)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (1u << 20)) return 0;
  const std::string file = file_from(data, size);
  const fs::path run = run_folder() / "run";
  std::error_code ignored;
  fs::remove_all(run, ignored);
  fs::create_directory(run, ignored);
  std::ofstream(run / "run.db", std::ios::binary)
      .write(file.data(), static_cast<std::streamsize>(file.size()));
  auto reader = RunReader::open(run);
  if (reader) {
    read_everything(**reader);
  } else if (reader.error().hint.empty()) {
    std::abort();
  }
  return 0;
}
