#include "engine/search/proposer.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/search/from_atlas.h"

namespace kernatlas {

namespace {

constexpr std::uint64_t kProposePurpose = 0x70726f706f7365;
constexpr std::string_view kFirstOperators[] = {"seed", kImportOperator};
constexpr int kPicksPerParent = 16;

// Selectors that learn would have to hear of every child, also when a run is resumed.
bool is_selector(std::string_view name) {
  const auto selector = archives::make_selector(name);
  return selector != nullptr && !selector->learns();
}

std::vector<std::string_view> known_selectors() {
  std::vector<std::string_view> names = archives::selector_names();
  std::erase_if(names, [](std::string_view name) { return !is_selector(name); });
  return names;
}

std::uint64_t product_of(const std::vector<Tunable>& options) {
  std::uint64_t product = 1;
  for (const Tunable& option : options) product *= std::max<std::size_t>(option.values.size(), 1);
  return product;
}

}  // namespace

Result<void> Proposer::check(OperatorRegistry& operators, const Policy& policy) {
  if (!is_selector(policy.selector)) {
    return fail({.message = fmt::format("policy {}: there is no selector \"{}\"", policy.name,
                                        policy.selector),
                 .expected = fmt::format("one of {}", fmt::join(known_selectors(), ", "))});
  }
  if (policy.operators.empty()) {
    return fail({.message = fmt::format("policy {} has no operators", policy.name)});
  }
  for (const auto& [name, weight] : policy.operators) {
    Operator* op = operators.find(name);
    if (op == nullptr) {
      return fail(
          {.message = fmt::format("policy {}: there is no operator \"{}\"", policy.name, name)});
    }
    if (!(weight >= 0 && weight < 1e9)) {
      return fail(
          {.message = fmt::format("policy {}: weight {} of operator {}", policy.name, weight, name),
           .expected = "a number from 0 to 1e9"});
    }
    const std::string selector = op->parents().selector;
    if (!selector.empty() && !is_selector(selector)) {
      return fail({.code = ErrorCode::internal,
                   .message = fmt::format("operator {} asks for an unknown selector \"{}\"", name,
                                          selector)});
    }
  }
  return {};
}

Proposer::Proposer(std::shared_ptr<const Task> task, const std::vector<Tunable>& options,
                   OperatorRegistry& operators, const Policy& policy, const Elites& elites,
                   const OperatorMix& mix, std::uint64_t seed)
    : task_(std::move(task)), options_(options), elites_(elites), mix_(mix), seed_(seed) {
  for (const auto& [name, weight] : policy.operators) {
    Operator* op = operators.find(name);
    KERNATLAS_CHECK(op != nullptr);
    operators_.push_back(op);
    Selection selection{.selector = nullptr, .request = op->parents()};
    selection.selector = selector_named(
        selection.request.selector.empty() ? policy.selector : selection.request.selector);
    selections_.push_back(std::move(selection));
  }
  for (const std::string_view name : kFirstOperators) {
    for (std::size_t arm = 0; arm < operators_.size(); ++arm) {
      if (operators_[arm]->name() == name) first_arms_.push_back(arm);
    }
  }
  for (const KernelSourcePtr& source : task_->seeds) add_source(source);
}

const archives::Selector* Proposer::selector_named(const std::string& name) {
  auto& selector = selectors_[name];
  if (selector == nullptr) selector = archives::make_selector(name);
  KERNATLAS_CHECK(selector != nullptr);
  return selector.get();
}

void Proposer::add_source(const KernelSourcePtr& source) {
  if (!sources_.insert(source->hash()).second) return;
  spaces_.push_back(std::make_unique<SearchSpace>(task_, source, options_));
  space_pointers_.push_back(spaces_.back().get());
  const auto size = spaces_.back()->size();
  countable_ = countable_ && size.has_value();
  if (countable_) capacity_ += *size * product_of(options_);
}

// "No options" and "every option's first value" are one candidate and must have one id.
void Proposer::make_explicit(CompileOptions& options) const {
  if (!options.empty()) return;
  for (const Tunable& option : options_) options.push_back(option.values.front());
}

bool Proposer::all_tried() const {
  return countable_ && known_.size() >= capacity_;
}

std::uint64_t Proposer::duplicate_limit() const {
  if (!countable_) return kLeastDuplicateLimit;
  return std::clamp(capacity_ * kDrawsPerCandidate, kLeastDuplicateLimit, kMostDuplicateLimit);
}

// An operator that keeps repeating itself rests until every other one does, too: where its moves
// are used up, drawing on would find little.
std::size_t Proposer::choose_arm(Rng& rng) {
  for (const std::size_t arm : first_arms_) {
    if (allowed_[arm]) return arm;
  }
  for (std::size_t arm = 0; arm < awake_.size(); ++arm) {
    awake_[arm] = allowed_[arm] && repeats_[arm] < kRepeatsBeforeRest;
  }
  const std::size_t arm = mix_.choose(rng, awake_);
  if (arm != operators_.size()) return arm;
  std::fill(repeats_.begin(), repeats_.end(), 0);
  return mix_.choose(rng, allowed_);
}

bool Proposer::goes_first(std::size_t arm) const {
  return std::find(first_arms_.begin(), first_arms_.end(), arm) != first_arms_.end();
}

bool Proposer::propose(std::uint64_t ticket, Job& job) {
  Rng rng = stream(seed_, kProposePurpose, ticket);
  allowed_.assign(operators_.size(), true);
  awake_.resize(operators_.size());
  repeats_.assign(operators_.size(), 0);
  std::uint32_t duplicates = 0;
  const std::uint64_t limit = duplicate_limit();
  while (duplicates < limit && !all_tried()) {
    const std::size_t arm = choose_arm(rng);
    if (arm == operators_.size()) return false;
    pick_parents(selections_[arm], rng);
    auto proposal = operators_[arm]->propose({.task = *task_,
                                              .spaces = space_pointers_,
                                              .parents = std::span(parents_).first(parent_count_),
                                              .ticket = ticket},
                                             rng);
    if (!proposal) {
      allowed_[arm] = false;
      continue;
    }
    make_explicit(proposal->candidate.options);
    const Hash128 id = proposal->candidate.id();
    if (!known_.insert(id)) {
      ++duplicates;
      ++repeats_[arm];
      if (goes_first(arm)) allowed_[arm] = false;
      continue;
    }
    job.ticket = ticket;
    job.candidate = std::move(proposal->candidate);
    job.id = id;
    job.arm = arm;
    job.parents = std::move(proposal->parents);
    job.duplicates = duplicates;
    return true;
  }
  return false;
}

bool Proposer::add_parent(const archives::Elite* elite, bool same_source) {
  if (elite == nullptr) return false;
  const std::uint64_t ticket = elite->entry.id;
  for (const Parent& parent : std::span(parents_).first(parent_count_)) {
    if (parent.ticket == ticket) return false;
  }
  const Candidate* candidate = elites_.candidate(ticket);
  KERNATLAS_CHECK(candidate != nullptr);
  if (same_source && parent_count_ > 0 &&
      candidate->source->hash() != parents_.front().candidate.source->hash()) {
    return false;
  }
  if (parent_count_ == parents_.size()) parents_.emplace_back();
  Parent& parent = parents_[parent_count_++];
  parent.ticket = ticket;
  parent.candidate = *candidate;
  parent.fitness = elite->entry.objective;
  parent.cell = elite->cell;
  return true;
}

// Selection with rejection keeps the selector's preferences; a scan helps where partners are rare.
void Proposer::pick_parents(const Selection& selection, Rng& rng) {
  parent_count_ = 0;
  const archives::Archive& archive = elites_.archive();
  const auto occupied = archive.occupied();
  const std::size_t wanted = std::min(selection.request.count, occupied.size());
  if (wanted == 0) return;
  archives::Random random(rng());
  while (parent_count_ < wanted) {
    bool added = false;
    for (int i = 0; i < kPicksPerParent && !added; ++i) {
      added =
          add_parent(selection.selector->select(archive, random), selection.request.same_source);
    }
    if (!added) {
      const std::size_t start = uniform_below(rng, occupied.size());
      for (std::size_t i = 0; i < occupied.size() && !added; ++i) {
        added = add_parent(archive.champion(occupied[(start + i) % occupied.size()]),
                           selection.request.same_source);
      }
    }
    if (!added) return;
  }
}

}  // namespace kernatlas
