// SqliteRunReader::find: a candidate by the beginning of its id.
#include <algorithm>
#include <string>

#include "engine/store/run_reader.h"

namespace kernatlas::store {
namespace {

constexpr std::size_t kLeastDigits = 4;
constexpr std::size_t kAllDigits = 32;

// The digits in lower case; nothing when there are too few, too many, or others.
std::optional<std::string> digits_of(const std::string& prefix) {
  if (prefix.size() < kLeastDigits || prefix.size() > kAllDigits) return std::nullopt;
  std::string digits = prefix;
  for (char& c : digits) {
    if (c >= 'A' && c <= 'F') c = static_cast<char>(c - 'A' + 'a');
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    if (!hex) return std::nullopt;
  }
  return digits;
}

struct Matches {
  std::optional<std::uint64_t> ticket;
  bool lost_device = false;        // of `ticket`
  std::vector<Hash128> different;  // at most three: enough to say that it is ambiguous
};

// Retries after a lost device give one candidate several tickets: the last one that says something
// about the candidate counts.
void add(Matches& matches, std::uint64_t ticket, const Hash128& candidate, bool lost_device) {
  auto& different = matches.different;
  if (std::find(different.begin(), different.end(), candidate) == different.end() &&
      different.size() < 3) {
    different.push_back(candidate);
  }
  if (!matches.ticket || matches.lost_device || !lost_device) {
    matches.ticket = ticket;
    matches.lost_device = lost_device;
  }
}

}  // namespace

Result<std::uint64_t> SqliteRunReader::find(const std::string& prefix) const {
  const auto digits = digits_of(prefix);
  if (!digits) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "'" + prefix.substr(0, 40) + "' is not the id of a candidate",
                 .expected = "4 to 32 hexadecimal digits",
                 .hint = "`kernatlas show RUN` lists ids"});
  }
  std::string low = *digits;
  std::string high = *digits;
  low.resize(kAllDigits, '0');
  high.resize(kAllDigits, 'f');
  const std::string first = hash_bytes(Hash128::parse(low).value_or(Hash128{}));
  const std::string last = hash_bytes(Hash128::parse(high).value_or(Hash128{}));
  Matches matches;
  // No index: keeping one over random ids would cost every settlement more than one pass costs
  // the rare reader.
  const bool complete = each_rising(
      "SELECT ticket, candidate, kind FROM evaluation WHERE candidate BETWEEN ? AND ? "
      "ORDER BY ticket",
      [&](Statement& query) {
        query.bind_blob(1, first);
        query.bind_blob(2, last);
      },
      [&](const Statement& from) {
        const auto candidate = hash_from_bytes(from.column_bytes(1));
        if (!candidate) return damaged("a candidate's id");
        add(matches, static_cast<std::uint64_t>(from.column_int(0)), *candidate,
            from.column_int(2) == static_cast<std::int64_t>(OutcomeKind::device_lost));
        return true;
      });
  if (!complete) return fail(*damage_);
  if (matches.different.empty()) {
    return fail({.code = ErrorCode::bad_input,
                 .message = "no candidate's id begins with '" + prefix + "'",
                 .file = database_.file().string(),
                 .hint = "`kernatlas show RUN` lists ids"});
  }
  if (matches.different.size() > 1) {
    std::string list;
    for (const Hash128& id : matches.different) list += (list.empty() ? "" : ", ") + id.hex();
    return fail({.code = ErrorCode::bad_input,
                 .message = "several candidates' ids begin with '" + prefix + "': " + list,
                 .expected = "the beginning of one id",
                 .hint = "give more digits"});
  }
  return *matches.ticket;
}

}  // namespace kernatlas::store
