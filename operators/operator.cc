#include "operators/operator.h"

#include <algorithm>
#include <utility>

#include "operators/tunables/search_space.h"

namespace kernatlas {
namespace {

bool declared(const std::vector<Tunable>& tunables, const std::vector<std::int64_t>& values) {
  if (values.size() != tunables.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& list = tunables[i].values;
    if (std::find(list.begin(), list.end(), values[i]) == list.end()) return false;
  }
  return true;
}

bool known_parents(const Surroundings& around, const std::vector<std::uint64_t>& tickets) {
  return std::all_of(tickets.begin(), tickets.end(), [&](std::uint64_t ticket) {
    return std::any_of(around.parents.begin(), around.parents.end(),
                       [ticket](const Parent& parent) { return parent.ticket == ticket; });
  });
}

void check(const Surroundings& around, const Proposal& proposal) {
  const Candidate& candidate = proposal.candidate;
  KERNATLAS_CHECK(candidate.source != nullptr);
  KERNATLAS_CHECK(known_parents(around, proposal.parents));
  // A source that nobody has met yet has no space; is_valid parses its constraints each time.
  if (const SearchSpace* space = space_of(around, *candidate.source)) {
    KERNATLAS_CHECK(space->valid(candidate.assignment));
    KERNATLAS_CHECK(candidate.options.empty() || declared(space->options(), candidate.options));
  } else {
    KERNATLAS_CHECK(is_valid(around.task, *candidate.source, candidate.assignment));
  }
}

}  // namespace

const SearchSpace* space_of(const Surroundings& around, const KernelSource& source) {
  for (const SearchSpace* space : around.spaces) {
    if (space->source().get() == &source) return space;
  }
  for (const SearchSpace* space : around.spaces) {
    if (space->source()->hash() == source.hash()) return space;
  }
  return nullptr;
}

std::optional<Proposal> Operator::propose(const Surroundings& around, Rng& rng) {
  std::optional<Proposal> proposal = do_propose(around, rng);
  if (proposal) check(around, *proposal);
  return proposal;
}

void OperatorRegistry::add(std::unique_ptr<Operator> op) {
  KERNATLAS_CHECK(op != nullptr);
  KERNATLAS_CHECK(find(op->name()) == nullptr);
  operators_.push_back(std::move(op));
}

Operator* OperatorRegistry::find(std::string_view name) const {
  for (const auto& op : operators_) {
    if (op->name() == name) return op.get();
  }
  return nullptr;
}

}  // namespace kernatlas
