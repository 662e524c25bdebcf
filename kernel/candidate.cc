#include "kernel/candidate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>

#include "kernel/suggest.h"

namespace kernatlas {
namespace {

// Words in little-endian byte order, on the stack unless there are very many.
class Words {
 public:
  explicit Words(std::size_t count) {
    if (count * 8 > small_.size()) large_.resize(count * 8);
    out_ = large_.empty() ? small_.data() : large_.data();
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) {
      out_[size_++] = static_cast<char>(static_cast<unsigned char>(word >> shift));
    }
  }
  void add(const std::vector<std::int64_t>& values) {
    add(values.size());
    for (const std::int64_t value : values) add(static_cast<std::uint64_t>(value));
  }
  [[nodiscard]] Hash128 hash() const { return hash128({out_, size_}); }

 private:
  std::array<char, 512> small_;  // NOLINT(*-member-init): written before it is read
  std::vector<char> large_;
  char* out_ = nullptr;
  std::size_t size_ = 0;
};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

std::string_view next_word(std::string_view& rest) {
  while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
  std::size_t length = 0;
  while (length < rest.size() && !is_space(rest[length])) ++length;
  const std::string_view word = rest.substr(0, length);
  rest.remove_prefix(length);
  return word;
}

std::string listed(const Tunable& tunable) {
  constexpr std::size_t kMaxListed = 16;
  std::string text = tunable.name + " one of";
  for (std::size_t i = 0; i < tunable.values.size(); ++i) {
    if (i == kMaxListed) return text + " …";
    text += ' ' + tunable.value_text(tunable.values[i]);
  }
  return text;
}

std::optional<std::int64_t> value_of(const Tunable& tunable, std::string_view text) {
  const auto label = std::find(tunable.labels.begin(), tunable.labels.end(), text);
  if (label != tunable.labels.end()) return label - tunable.labels.begin();
  if (tunable.is_choice()) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const bool allowed =
      std::find(tunable.values.begin(), tunable.values.end(), value) != tunable.values.end();
  return allowed ? std::optional(value) : std::nullopt;
}

tl::unexpected<Error> refuse(std::string message, std::string expected, std::string hint = {}) {
  return fail({.message = std::move(message),
               .file = {},
               .expected = std::move(expected),
               .hint = std::move(hint)});
}

std::vector<std::string> names_of(const std::vector<Tunable>& tunables) {
  std::vector<std::string> names;
  for (const Tunable& tunable : tunables) names.push_back(tunable.name);
  return names;
}

}  // namespace

Hash128 Candidate::id() const {
  // Lengths take part, so that a value cannot pass from the assignment to the options unnoticed.
  Words words(4 + assignment.size() + options.size());
  const Hash128 of_source = source == nullptr ? Hash128{} : source->hash();
  words.add(of_source.high);
  words.add(of_source.low);
  words.add(assignment);
  words.add(options);
  return words.hash();
}

std::string to_text(const std::vector<Tunable>& tunables, const std::vector<std::int64_t>& values) {
  KERNATLAS_CHECK(tunables.size() == values.size());
  std::string text;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    if (i > 0) text += ' ';
    text += tunables[i].name;
    text += '=';
    text += tunables[i].value_text(values[i]);
  }
  return text;
}

Result<std::vector<std::int64_t>> from_text(const std::vector<Tunable>& tunables,
                                            std::string_view text) {
  std::vector<std::optional<std::int64_t>> found(tunables.size());
  std::string_view rest = text;
  for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      return refuse(quoted(word) + " is no assignment", "NAME=VALUE, separated by spaces");
    }
    const std::string_view name = word.substr(0, equals);
    const auto tunable = std::find_if(tunables.begin(), tunables.end(),
                                      [&](const Tunable& each) { return each.name == name; });
    if (tunable == tunables.end()) {
      return refuse("unknown tunable " + quoted(name), "a tunable of this source",
                    suggest(name, names_of(tunables)));
    }
    auto& value = found[static_cast<std::size_t>(tunable - tunables.begin())];
    if (value) return refuse(tunable->name + " is given twice", "every tunable exactly once");
    value = value_of(*tunable, word.substr(equals + 1));
    if (!value) {
      return refuse(quoted(word.substr(equals + 1)) + " is no value of " + tunable->name,
                    listed(*tunable));
    }
  }
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < tunables.size(); ++i) {
    if (!found[i]) return refuse(tunables[i].name + " is missing", listed(tunables[i]));
    values.push_back(*found[i]);
  }
  return values;
}

}  // namespace kernatlas
