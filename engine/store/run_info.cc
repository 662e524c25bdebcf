#include "engine/store/run_info.h"

#include <array>
#include <charconv>

namespace kernatlas::store {
namespace {

struct TextField {
  const char* key;
  std::string RunInfo::*member;
};
constexpr TextField kTextFields[] = {
    {"task", &RunInfo::task},
    {"task_hash", &RunInfo::task_hash},
    {"backend", &RunInfo::backend},
    {"parameters_json", &RunInfo::parameters_json},
    {"policy", &RunInfo::policy},
    {"budget", &RunInfo::budget},
    {"contract", &RunInfo::contract},
    {"axes_json", &RunInfo::axes_json},
    {"options_json", &RunInfo::options_json},
    {"baselines_json", &RunInfo::baselines_json},
    {"archive_kind", &RunInfo::archive_kind},
    {"program_version", &RunInfo::program_version},
};

template <typename Number>
bool parse(const std::string& text, Number& out) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && stop == end;
}

template <typename Number>
bool read(const std::map<std::string, std::string>& rows, const char* key, Number& out) {
  const auto found = rows.find(key);
  return found == rows.end() || parse(found->second, out);
}

// The shortest text that reads back as the same bits.
std::string number_text(double value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc{} ? std::string(buffer.data(), end) : "0";
}

}  // namespace

std::map<std::string, std::string> to_rows(const RunInfo& info) {
  std::map<std::string, std::string> rows;
  for (const TextField& field : kTextFields) rows[field.key] = info.*field.member;
  rows["seed"] = std::to_string(info.seed);
  rows["ordered"] = info.ordered ? "1" : "0";
  rows["window"] = std::to_string(info.window);
  rows["archive_depth"] = std::to_string(info.archive_depth);
  rows["target_speedup"] = number_text(info.target_speedup);
  rows["stagnation"] = std::to_string(info.stagnation);
  rows["created_unix"] = std::to_string(info.created_unix);
  return rows;
}

std::optional<std::string> from_rows(const std::map<std::string, std::string>& rows,
                                     RunInfo& info) {
  for (const char* key : {"task", "backend"}) {
    if (!rows.contains(key)) return key;
  }
  for (const TextField& field : kTextFields) {
    const auto found = rows.find(field.key);
    if (found != rows.end()) info.*field.member = found->second;
  }
  if (!read(rows, "seed", info.seed)) return "seed";
  int ordered = info.ordered ? 1 : 0;
  if (!read(rows, "ordered", ordered) || (ordered != 0 && ordered != 1)) return "ordered";
  info.ordered = ordered == 1;
  if (!read(rows, "window", info.window)) return "window";
  if (!read(rows, "archive_depth", info.archive_depth)) return "archive_depth";
  if (!read(rows, "target_speedup", info.target_speedup)) return "target_speedup";
  if (!read(rows, "stagnation", info.stagnation)) return "stagnation";
  if (!read(rows, "created_unix", info.created_unix)) return "created_unix";
  return std::nullopt;
}

}  // namespace kernatlas::store
