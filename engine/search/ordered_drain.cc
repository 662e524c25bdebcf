#include "engine/search/ordered_drain.h"

#include <charconv>

namespace kernatlas {

namespace {
constexpr const char* kKey = "ordered.drained_before";
}

Result<void> store_drain(RunDatabase& database, std::uint64_t ticket) {
  if (auto done = database.put_state(kKey, std::to_string(ticket)); !done) return done;
  return database.flush();
}

Result<std::uint64_t> load_drain(const RunDatabase& database) {
  const auto text = database.state(kKey);
  if (!text) return 0;
  std::uint64_t ticket = 0;
  const auto [end, code] = std::from_chars(text->data(), text->data() + text->size(), ticket);
  if (code != std::errc{} || end != text->data() + text->size()) {
    return fail({.message = std::string("the run's state \"") + kKey + "\" is damaged",
                 .expected = "a ticket number"});
  }
  return ticket;
}

}  // namespace kernatlas
