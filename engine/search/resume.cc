// The part of the search loop that brings a stored run back.
//
// Proposals that were in flight when the last session ended are no rows. In ordered mode they are
// made again, each from the state it saw: rows are applied with a delay of window − 1, and when
// settlement i − window has been applied, proposal i is made.
#include <fmt/core.h>

#include "engine/search/ordered_drain.h"
#include "engine/search/search_loop.h"

namespace kernatlas {

namespace {

// Tickets lost in earlier sessions are at most a window each; more means a foreign numbering.
constexpr std::size_t kGapLimit = 1 << 16;

// Arm of each operator name of the run; those the policy lacks map past the end.
std::vector<std::size_t> arms_of(const std::vector<std::string>& names,
                                 std::span<Operator* const> operators) {
  std::vector<std::size_t> arms;
  for (const std::string& name : names) {
    std::size_t arm = 0;
    while (arm < operators.size() && operators[arm]->name() != name) ++arm;
    arms.push_back(arm);
  }
  return arms;
}

Error gap(std::uint64_t expected, std::uint64_t found) {
  return {.code = ErrorCode::internal,
          .message = fmt::format("the run is ordered, but after ticket {} comes ticket {}",
                                 static_cast<std::int64_t>(expected) - 1, found),
          .expected = "every ticket settled, none left out"};
}

}  // namespace

struct SearchLoop::Replay {
  const RunReader& reader;
  std::vector<std::size_t> arms;  // by HotRow::op
  std::vector<KeptEntry> kept;    // in settlement order
  std::size_t next_kept = 0;
  std::deque<HotRow> delayed;  // ordered: read but not applied yet
  std::uint64_t drained = 0;   // ordered: proposals from this ticket on saw all before it
  std::optional<Error> error;
};

Result<void> SearchLoop::resume() {
  const Lock lock(mutex_);  // nobody else is there yet; what is written here is for other threads
  const RunReader& reader = database_.reader();
  meter_.start(reader.elapsed_s());
  Replay replay{.reader = reader,
                .arms = arms_of(reader.operators(), proposer_.operators()),
                .kept = {},
                .next_kept = 0,
                .delayed = {},
                .drained = 0,
                .error = std::nullopt};
  proposer_.expect(reader.evaluations() + reader.evaluations() / 8 + window_);
  reader.kept_rows([&](const SettledRow& row) {
    auto kept = kept_entry(row, elites_.archive().axes(), bench_.options());
    if (!kept) {
      replay.error = kept.error();
      return false;
    }
    replay.kept.push_back(std::move(*kept));
    return true;
  });
  if (replay.error) return fail(*replay.error);
  const auto replayed = ordered() ? replay_ordered(replay) : replay_steady(replay);
  if (!replayed) return replayed;
  return reader.health();
}

void SearchLoop::apply(Replay& replay, const HotRow& row) {
  const std::size_t none = proposer_.operators().size();
  settler_.replay(row, row.op < replay.arms.size() ? replay.arms[row.op] : none);
  if (!ordered() || !row.kept || replay.next_kept == replay.kept.size()) return;
  const KeptEntry& kept = replay.kept[replay.next_kept++];
  settler_.replay(kept);
  proposer_.add_source(kept.candidate.source);
}

Result<void> SearchLoop::replay_ordered(Replay& replay) {
  const auto drained = load_drain(database_);
  if (!drained) return fail(drained.error());
  replay.drained = *drained;
  const auto apply_first = [&] {
    apply(replay, replay.delayed.front());
    replay.delayed.pop_front();
    ++next_to_settle_;
  };
  replay.reader.hot_rows(0, [&](const HotRow& row) {
    if (row.ticket != first_unused_) {
      replay.error = gap(first_unused_, row.ticket);
      return false;
    }
    ++first_unused_;
    proposer_.remember(row.candidate);
    replay.delayed.push_back(row);
    if (replay.delayed.size() >= window_) apply_first();
    return true;
  });
  if (replay.error) return fail(*replay.error);
  while (!replay.delayed.empty() && next_to_settle_ < replay.drained) apply_first();
  // A fresh run has nothing to make again.
  if (first_unused_ != 0) propose_again(replay);
  while (!replay.delayed.empty()) apply_first();
  return {};
}

void SearchLoop::propose_again(Replay& replay) {
  const std::uint64_t settled = first_unused_;
  while (first_unused_ < settled + window_) {
    while (first_unused_ >= next_to_settle_ + window_) {
      apply(replay, replay.delayed.front());
      replay.delayed.pop_front();
      ++next_to_settle_;
    }
    // In flight at that time: everything not yet applied, rows or not.
    in_flight_ = static_cast<std::uint32_t>(first_unused_ - next_to_settle_);
    check_conditions();
    if (!reason_.empty()) break;
    Job* job = take_job();
    if (!issue(*job)) {
      free_job(*job);
      drain_first_ = true;
      break;
    }
    made_again_.push_back(job);
  }
  in_flight_ = static_cast<std::uint32_t>(made_again_.size());
}

Result<void> SearchLoop::replay_steady(Replay& replay) {
  replay.reader.hot_rows(0, [&](const HotRow& row) {
    for (; first_unused_ < row.ticket; ++first_unused_) {
      if (gaps_.size() == kGapLimit) {
        first_unused_ = row.ticket;
        break;
      }
      gaps_.push_back(first_unused_);
    }
    first_unused_ = row.ticket + 1;
    proposer_.remember(row.candidate);
    apply(replay, row);
    return true;
  });
  sort_by_settlement(replay.kept);
  for (const KeptEntry& kept : replay.kept) {
    settler_.replay(kept);
    proposer_.add_source(kept.candidate.source);
  }
  return {};
}

}  // namespace kernatlas
