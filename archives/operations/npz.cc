// NumPy's .npz: a zip archive of .npy files, each a header and the raw elements. minizip makes the
// zip; NEP 1 (the .npy format, version 1.0) describes the rest.
#include <fcntl.h>
#include <fmt/format.h>
#include <minizip/zip.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>

#include "archives/atlas_file.h"
#include "archives/operations/tables.h"

namespace kernatlas::archives {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "arrays are written as they lie");

// minizip writes to a path; the result is then taken over by a SavedFile.
class Zip {
 public:
  explicit Zip(const fs::path& file) : zip_(zipOpen64(file.c_str(), APPEND_STATUS_CREATE)) {
    sound_ = zip_ != nullptr;
  }
  ~Zip() { (void)close(); }
  Zip(const Zip&) = delete;
  Zip& operator=(const Zip&) = delete;

  void add(const std::string& name, std::string_view content) {
    if (!sound_) return;
    const zip_fileinfo info{};  // no time: the same atlas gives the same file
    const int large = content.size() >= 0xffffffffu ? 1 : 0;
    sound_ = zipOpenNewFileInZip64(zip_, name.c_str(), &info, nullptr, 0, nullptr, 0, nullptr,
                                   Z_DEFLATED, Z_BEST_SPEED, large) == ZIP_OK;
    constexpr std::size_t kStep = std::size_t{1} << 28;
    for (std::size_t at = 0; sound_ && at < content.size(); at += kStep) {
      const std::size_t size = std::min(kStep, content.size() - at);
      sound_ =
          zipWriteInFileInZip(zip_, content.data() + at, static_cast<unsigned>(size)) == ZIP_OK;
    }
    sound_ = zipCloseFileInZip(zip_) == ZIP_OK && sound_;
  }

  [[nodiscard]] bool close() {
    if (zip_ == nullptr) return sound_;
    sound_ = zipClose(zip_, nullptr) == ZIP_OK && sound_;
    zip_ = nullptr;
    return sound_;
  }

 private:
  zipFile zip_;
  bool sound_ = false;
};

// `type` is NumPy's name of the elements, `shape` as Python writes a tuple.
std::string npy(std::string_view type, std::string_view shape, std::string_view elements) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type, shape);
  // Magic, version and length take 10 bytes; the elements begin at a multiple of 64.
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + std::string(elements);
}

template <typename T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// Texts of one length, padded with zeros: NumPy's 'S' type.
std::string texts(const std::vector<std::string>& values) {
  std::size_t width = 1;
  for (const std::string& each : values) width = std::max(width, each.size());
  std::string bytes;
  for (std::string each : values) {
    each.resize(width, '\0');
    bytes += each;
  }
  return npy(fmt::format("|S{}", width), fmt::format("({},)", values.size()), bytes);
}

class Arrays {
 public:
  Arrays(const Atlas& atlas, Zip& zip) : atlas_(atlas), zip_(zip) {}

  void write() {
    column("id", [](const Elite& elite) { return elite.entry.id; });
    column("cell", [](const Elite& elite) { return std::uint64_t{elite.cell}; });
    column("rank", [](const Elite& elite) { return std::uint64_t{elite.rank}; });
    column("samples", [](const Elite& elite) { return elite.entry.samples; });
    column("objective", [](const Elite& elite) { return elite.entry.objective; });
    column("low", [](const Elite& elite) { return elite.entry.low; });
    column("high", [](const Elite& elite) { return elite.entry.high; });
    column("size", [](const Elite& elite) { return elite.entry.size; });
    const std::vector<Axis>& axes = atlas_.state.spec.axes;
    matrix("measures", axes.size(), [](const Entry& entry) { return &entry.measures; });
    std::size_t costs = 0;
    for (const Elite& elite : atlas_.state.elites)
      costs = std::max(costs, elite.entry.costs.size());
    matrix("costs", costs, [](const Entry& entry) { return &entry.costs; });
    std::vector<std::string> keys;
    for (const AtlasRecord& record : atlas_.records) keys.push_back(record.key);
    zip_.add("key.npy", texts(keys));
    std::vector<std::string> names;
    for (const Axis& axis : axes) names.push_back(axis.name());
    zip_.add("axes.npy", texts(names));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      zip_.add(
          fmt::format("axis_{}.npy", i),
          axes[i].scale() == Scale::categorical
              ? texts(axes[i].labels())
              : npy("<f8", fmt::format("({},)", axes[i].bins() + 1), raw(axes[i].boundaries())));
    }
  }

 private:
  template <typename Get>
  void column(const std::string& name, const Get& get) {
    using T = decltype(get(std::declval<const Elite&>()));
    std::vector<T> values;
    for (const Elite& elite : atlas_.state.elites) values.push_back(get(elite));
    zip_.add(name + ".npy", npy(std::is_same_v<T, double> ? "<f8" : "<u8",
                                fmt::format("({},)", values.size()), raw(values)));
  }

  // Rows that are shorter are filled up with NaN.
  void matrix(const std::string& name, std::size_t columns,
              const std::function<const std::vector<double>*(const Entry&)>& row) {
    std::vector<double> values;
    values.reserve(atlas_.state.elites.size() * columns);
    for (const Elite& elite : atlas_.state.elites) {
      std::vector<double> numbers = *row(elite.entry);
      numbers.resize(columns, std::numeric_limits<double>::quiet_NaN());
      values.insert(values.end(), numbers.begin(), numbers.end());
    }
    zip_.add(name + ".npy",
             npy("<f8", fmt::format("({}, {})", atlas_.state.elites.size(), columns), raw(values)));
  }

  const Atlas& atlas_;
  Zip& zip_;
};

Expected<void> take_over(const fs::path& made, const fs::path& file) {
  const auto source = FileSource::open(made);
  if (!source) return fail(source.error());
  const auto saved = SavedFile::create(file);
  if (!saved) return fail(saved.error());
  std::string buffer(std::size_t{1} << 20, '\0');
  for (;;) {
    const auto count = (*source)->read(buffer.data(), buffer.size());
    if (!count) return fail(count.error());
    if (*count == 0) break;
    const auto written = (*saved)->write(std::string_view(buffer).substr(0, *count));
    if (!written) return fail(written.error());
  }
  return (*saved)->commit();
}

}  // namespace

Expected<void> save_npz(const fs::path& file, const Atlas& atlas) {
  std::error_code ignored;
  const fs::path made = file.string() + fmt::format(".{}.zip", getpid());
  Zip zip(made);
  Arrays(atlas, zip).write();
  const bool sound = zip.close();
  Expected<void> result = sound ? take_over(made, file)
                                : fail({.kind = AtlasError::Kind::io,
                                        .message = "cannot be written",
                                        .file = file.string()});
  fs::remove(made, ignored);
  return result;
}

}  // namespace kernatlas::archives
