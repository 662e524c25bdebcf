// The portable format: saving, loading and merging archives of a million elites, against msgpack-c
// with the very same records and nothing else, and against copying the file. Against msgpack-c it
// is processor time that counts, since both write and sync alike and a busy machine delays without
// costing more; against the copy it is the clock.
//
//   kernatlas-bench-atlas [ELITES]     a JSON object a line
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <msgpack.hpp>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "archives/atlas.h"
#include "archives/atlas_file.h"
#include "archives/operations/merge.h"
#include "archives/registry.h"

namespace kernatlas::archives {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 3;
constexpr std::size_t kSources = 1000;
constexpr std::size_t kSourceBytes = 2000;

struct Taken {
  double cpu = 0;
  double wall = 0;
};

Taken seconds(const std::function<void()>& work) {
  const auto cpu = [] {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  };
  const double cpu_before = cpu();
  const auto start = Clock::now();
  work();
  return {cpu() - cpu_before, std::chrono::duration<double>(Clock::now() - start).count()};
}

double median(const std::vector<Taken>& taken, double Taken::*member) {
  std::vector<double> values;
  for (const Taken& each : taken) values.push_back(each.*member);
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename T>
T must(Expected<T> result) {
  if (!result) throw std::runtime_error(result.error().text());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// One elite in each of `count` cells; a thousand sources that compress as sources do.
Atlas make_atlas(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  ArchiveSpec spec;
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  spec.axes = {Axis::linear("a", "", 0, static_cast<double>(side), side),
               Axis::linear("b", "", 0, static_cast<double>(side), side)};
  spec.options = {{"depth", 1}};
  const auto archive = builtin_kinds().make(spec).value();
  for (std::size_t i = 0; i < count; ++i) {
    Entry entry;
    entry.id = i;
    entry.objective = static_cast<double>(rng() % 1000003) * 1.1e-6;
    entry.low = entry.objective - 0.0123;
    entry.high = entry.objective + 0.0123;
    entry.measures = {static_cast<double>(i / side) + 0.37, static_cast<double>(i % side) + 0.61};
    entry.size = static_cast<double>(rng() % 100000);
    archive->add(std::move(entry));
  }
  Atlas atlas;
  atlas.subject = "bench";
  atlas.contract = "bench";
  atlas.state = archive->state();
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < kSources; ++i) {
    std::string source;
    while (source.size() < kSourceBytes) {
      source += fmt::format("  y[i + {}] = x[i] * {};\n", rng() % 64, rng() % 1000);
    }
    sources.push_back(std::move(source));
  }
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    PayloadMap payload{{"source", sources[rng() % kSources]},
                       {"assignment", fmt::format("BLOCK={} VEC={}", 1 << rng() % 10, rng() % 8)},
                       {"operator", "mutate_tunable"}};
    atlas.records.push_back(
        {fmt::format("{:016x}{:016x}", rng(), rng()), pack(payload, atlas.blobs)});
  }
  return atlas;
}

void write_synced(const fs::path& file, std::string_view bytes) {
  auto saved = must(SavedFile::create(file));
  must(saved->write(bytes));
  must(saved->commit());
}

std::string read_whole(const fs::path& file) {
  std::string bytes(fs::file_size(file), '\0');
  must(must(FileSource::open(file))->read(bytes.data(), bytes.size()));
  return bytes;
}

// The same records, packed by msgpack-c into one buffer.
void pack_raw(const Atlas& atlas, msgpack::sbuffer& buffer) {
  msgpack::packer<msgpack::sbuffer> packer(buffer);
  packer.pack_array(static_cast<std::uint32_t>(atlas.state.elites.size()));
  for (std::size_t i = 0; i < atlas.state.elites.size(); ++i) {
    const Elite& elite = atlas.state.elites[i];
    const Entry& entry = elite.entry;
    packer.pack_array(12);
    packer.pack(elite.cell);
    packer.pack(elite.rank);
    packer.pack(entry.id);
    packer.pack(entry.objective);
    packer.pack(entry.low);
    packer.pack(entry.high);
    packer.pack(entry.size);
    packer.pack(entry.samples);
    packer.pack(entry.measures);
    packer.pack(entry.costs);
    packer.pack(atlas.records[i].key);
    const std::string& payload = atlas.records[i].payload.bytes;
    buffer.write(payload.data(), payload.size());
  }
}

void copy_synced(const fs::path& from, const fs::path& to) {
  auto source = must(FileSource::open(from));
  auto saved = must(SavedFile::create(to));
  std::string buffer(std::size_t{1} << 20, '\0');
  for (;;) {
    const std::size_t count = must(source->read(buffer.data(), buffer.size()));
    if (count == 0) break;
    must(saved->write(std::string_view(buffer).substr(0, count)));
  }
  must(saved->commit());
}

void report(const std::string& name, double value, const char* reference, double reference_value) {
  const nlohmann::ordered_json json{{"name", name},
                                    {"value", value},
                                    {"unit", "MB/s"},
                                    {"reference", reference},
                                    {"reference_value", reference_value},
                                    {"ratio", value / reference_value},
                                    {"runs", kRounds}};
  fmt::print("{}\n", json.dump());
  std::fflush(stdout);
}

struct Times {
  std::vector<Taken> save, load, pack, unpack, copy, merge;
};

class Bench {
 public:
  Bench(std::size_t elites, fs::path folder) : folder_(std::move(folder)) {
    atlas_ = make_atlas(elites, 1);
    must(save_atlas(file("other.atlas"), make_atlas(elites, 2)));
  }

  void round() {
    times_.save.push_back(seconds([&] { must(save_atlas(file("a.atlas"), atlas_)); }));
    times_.pack.push_back(seconds([&] {
      msgpack::sbuffer buffer;
      pack_raw(atlas_, buffer);
      write_synced(file("raw"), {buffer.data(), buffer.size()});
    }));
    times_.copy.push_back(seconds([&] { copy_synced(file("a.atlas"), file("copy")); }));
    times_.load.push_back(seconds([&] { (void)must(load_atlas(file("a.atlas"))); }));
    times_.unpack.push_back(seconds([&] {
      const std::string bytes = read_whole(file("raw"));
      (void)msgpack::unpack(bytes.data(), bytes.size());
    }));
  }

  void merge_round() {
    std::vector<Atlas> inputs;
    inputs.push_back(must(load_atlas(file("a.atlas"))));
    inputs.push_back(must(load_atlas(file("other.atlas"))));
    times_.merge.push_back(seconds([&] { (void)must(merge(inputs, builtin_kinds())); }));
  }

  void print() {
    const double bytes = static_cast<double>(fs::file_size(file("a.atlas"))) / 1e6;
    const double raw_bytes = static_cast<double>(fs::file_size(file("raw"))) / 1e6;
    const double other_bytes = static_cast<double>(fs::file_size(file("other.atlas"))) / 1e6;
    const auto against_msgpack = [&](const char* name, double megabytes,
                                     const std::vector<Taken>& taken, const char* reference,
                                     double raw) {
      report(name, megabytes / median(taken, &Taken::cpu), reference, raw);
    };
    const double packing = raw_bytes / median(times_.pack, &Taken::cpu);
    const double unpacking = raw_bytes / median(times_.unpack, &Taken::cpu);
    against_msgpack("atlas save, processor time", bytes, times_.save,
                    "msgpack-c packs the same records", packing);
    against_msgpack("atlas load, processor time", bytes, times_.load,
                    "msgpack-c unpacks the same records into its objects", unpacking);
    against_msgpack("atlas merge, processor time", bytes + other_bytes, times_.merge,
                    "msgpack-c unpacks and packs the same records",
                    1 / (1 / packing + 1 / unpacking));
    const double copying = bytes / median(times_.copy, &Taken::wall);
    const char* copy = "copy of the file, synced";
    report("atlas save", bytes / median(times_.save, &Taken::wall), copy, copying);
    report("atlas load", bytes / median(times_.load, &Taken::wall), copy, copying);
    report("atlas merge", (bytes + other_bytes) / median(times_.merge, &Taken::wall), copy,
           copying);
  }

 private:
  [[nodiscard]] fs::path file(const char* name) const { return folder_ / name; }
  fs::path folder_;
  Atlas atlas_;
  Times times_;
};

}  // namespace
}  // namespace kernatlas::archives

int main(int argc, char** argv) {
  namespace fs = std::filesystem;
  const std::size_t elites = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const fs::path folder =
      fs::temp_directory_path() / fmt::format("kernatlas-bench-atlas-{}", getpid());
  try {
    fs::create_directories(folder);
    kernatlas::archives::Bench bench(elites, folder);
    for (int i = 0; i < kernatlas::archives::kRounds; ++i) bench.round();
    for (int i = 0; i < kernatlas::archives::kRounds; ++i) bench.merge_round();
    bench.print();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    fs::remove_all(folder);
    return 1;
  }
  fs::remove_all(folder);
  return 0;
}
