#include "backends/worker/worker.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>

#include "backends/worker/fault_explanation.h"
#include "backends/worker/protocol.h"
#include "backends/worker/worker_nursery.h"

namespace kernatlas {

namespace {

constexpr std::chrono::milliseconds kDying{1000};  // from a closed socket to the end of a process

std::int64_t deadline_of(std::chrono::milliseconds patience) {
  return monotonic_ns() + std::chrono::nanoseconds(patience).count();
}

std::uint64_t fresh_nonce() {
  thread_local std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

// A reply may be as long as what was asked for, and no longer.
std::size_t reply_limit(std::size_t samples) {
  return 256 + kMaxReplyText + 9 * samples;
}

// The worker's words go into logs and prompts.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return text;
}

class SandboxedWorker : public Worker {
 public:
  SandboxedWorker(std::shared_ptr<WorkerNursery> nursery, std::unique_ptr<WorkerProcess> process)
      : nursery_(std::move(nursery)), process_(std::move(process)) {}

  WorkerResult<void> load(const Arena& arena,
                          std::span<const std::shared_ptr<const std::string>> images,
                          std::chrono::milliseconds deadline) override;
  WorkerResult<void> bind(const Binding& binding, std::chrono::milliseconds deadline) override;
  WorkerResult<RunTimes> run(std::span<const std::vector<std::uint32_t>> groups,
                             std::chrono::milliseconds deadline) override;
  [[nodiscard]] int pid() const override { return process_->pid(); }

 private:
  WorkerResult<Reply> ask(const Request& request, std::uint64_t nonce,
                          std::span<const int> descriptors, std::size_t samples,
                          std::chrono::milliseconds deadline);
  std::int64_t wait_on_busy_machine(std::int64_t until, std::chrono::milliseconds deadline);
  Fault end(Fault fault);
  Fault died();
  Fault failed(Channel::State state, std::chrono::milliseconds deadline);
  tl::unexpected<Fault> refuse(Fault fault) { return tl::unexpected(end(std::move(fault))); }

  std::shared_ptr<WorkerNursery> nursery_;  // outlives the process
  std::unique_ptr<WorkerProcess> process_;
  bool loaded_ = false;
  bool touched_ = false;  // has seen something of a candidate
};

Fault SandboxedWorker::end(Fault fault) {
  process_->finish(std::chrono::milliseconds{0});
  return fault;
}

Fault SandboxedWorker::died() {
  const WorkerOptions& options = nursery_->options();
  const Death death{process_->finish(kDying), &process_->black_box(), options.memory_bytes,
                    options.cpu_s};
  if (!touched_) return {OutcomeKind::device_lost, "the worker died before it had work"};
  return explain_death(death);
}

Fault SandboxedWorker::failed(Channel::State state, std::chrono::milliseconds deadline) {
  switch (state) {
    case Channel::State::closed:
      return died();
    case Channel::State::timed_out:
      return end(
          {OutcomeKind::timed_out, "no answer within " + std::to_string(deadline.count()) + " ms"});
    case Channel::State::malformed:
    case Channel::State::ok:
      break;
  }
  return end({OutcomeKind::rejected, "forged reply"});
}

// A deadline is meant for a process that has a CPU. Where others keep it away, the process' own CPU
// time tells, and it gets more time: an overloaded machine must not make slow kernels of quick
// ones.
std::int64_t SandboxedWorker::wait_on_busy_machine(std::int64_t until,
                                                   std::chrono::milliseconds deadline) {
  constexpr int kExtensions = 7;
  const std::int64_t allowance = std::chrono::nanoseconds(deadline).count();
  const std::int64_t before = cpu_time_ns(process_->pid());
  for (int i = 0; i < kExtensions; ++i) {
    if (process_->channel().wait_readable(until) != Channel::State::timed_out) break;
    if (cpu_time_ns(process_->pid()) - before >= allowance / 2) break;
    until += allowance;
  }
  return until;
}

WorkerResult<Reply> SandboxedWorker::ask(const Request& request, std::uint64_t nonce,
                                         std::span<const int> descriptors, std::size_t samples,
                                         std::chrono::milliseconds deadline) {
  if (!process_->alive()) {
    return tl::unexpected(Fault{OutcomeKind::device_lost, "this worker has ended before"});
  }
  if (process_->channel().has_unread()) {
    return refuse({OutcomeKind::rejected, "forged reply, before anything was asked"});
  }
  const std::int64_t until = deadline_of(deadline);
  Channel& channel = process_->channel();
  Channel::State state = channel.send(encode(request), descriptors, until);
  touched_ = touched_ || state == Channel::State::ok;
  std::string bytes;
  if (state == Channel::State::ok) {
    state = channel.receive(bytes, reply_limit(samples), wait_on_busy_machine(until, deadline));
  }
  if (state != Channel::State::ok) return tl::unexpected(failed(state, deadline));
  auto reply = decode_reply(bytes);
  if (!reply || reply->nonce != nonce) return refuse({OutcomeKind::rejected, "forged reply"});
  if (reply->state == Reply::State::broken) {
    return refuse({OutcomeKind::device_lost, printable(reply->text)});
  }
  if (reply->state == Reply::State::refused) {
    return refuse({OutcomeKind::launch_error, printable(reply->text)});
  }
  return std::move(*reply);
}

WorkerResult<void> SandboxedWorker::load(const Arena& arena,
                                         std::span<const std::shared_ptr<const std::string>> images,
                                         std::chrono::milliseconds deadline) {
  KERNATLAS_CHECK(!loaded_);
  KERNATLAS_CHECK(images.size() <= kMaxImages);
  loaded_ = true;
  std::vector<UniqueFd> files;
  std::vector<int> descriptors{arena.descriptor()};
  for (const auto& image : images) {
    const UniqueFd& file = files.emplace_back(make_sealed_file("kernatlas-candidate", *image));
    if (!file.valid()) {
      return refuse({OutcomeKind::device_lost,
                     std::string("cannot make a memory file: ") + std::strerror(errno)});
    }
    descriptors.push_back(file.get());
  }
  const std::uint64_t nonce = fresh_nonce();
  const LoadRequest request{nonce, arena.size(), static_cast<std::uint32_t>(images.size())};
  auto reply = ask(request, nonce, descriptors, 0, deadline);
  if (!reply) return tl::unexpected(std::move(reply.error()));
  return {};
}

WorkerResult<void> SandboxedWorker::bind(const Binding& binding,
                                         std::chrono::milliseconds deadline) {
  const std::uint64_t nonce = fresh_nonce();
  auto reply = ask(BindRequest{nonce, binding}, nonce, {}, 0, deadline);
  if (!reply) return tl::unexpected(std::move(reply.error()));
  return {};
}

WorkerResult<RunTimes> SandboxedWorker::run(std::span<const std::vector<std::uint32_t>> groups,
                                            std::chrono::milliseconds deadline) {
  const std::uint64_t nonce = fresh_nonce();
  const RunRequest request{nonce, {groups.begin(), groups.end()}};
  const std::int64_t cpu_before = process_->alive() ? cpu_time_ns(process_->pid()) : 0;
  const std::int64_t start = monotonic_ns();
  auto reply = ask(request, nonce, {}, groups.size(), deadline);
  if (!reply) return tl::unexpected(std::move(reply.error()));
  RunTimes times;
  times.wall_ns = monotonic_ns() - start;
  const std::int64_t cpu_after = cpu_time_ns(process_->pid());
  times.cpu_ns = std::max<std::int64_t>(0, cpu_after - cpu_before);
  // Its clock may not claim more than ours saw pass, nor anything negative.
  std::int64_t left = times.wall_ns;
  bool honest = reply->sample_ns.size() == groups.size();
  for (const std::int64_t sample : reply->sample_ns) {
    honest = honest && sample >= 0 && sample <= left;
    left -= honest ? sample : 0;
  }
  if (!honest) return refuse({OutcomeKind::rejected, "forged times"});
  times.sample_ns = std::move(reply->sample_ns);
  return times;
}

constexpr std::array<std::string_view, 8> kLayerNames = {
    "namespaces",   "rlimits",  "nobody",  "no_new_privileges",
    "parent_death", "landlock", "seccomp", "watchdog"};

// The first required layer that this worker does not have, as an error.
Result<void> check_layers(const std::vector<std::string>& required,
                          const std::vector<Layer>& layers) {
  for (const std::string& name : required) {
    const auto found = std::find_if(layers.begin(), layers.end(),
                                    [&name](const Layer& layer) { return layer.name == name; });
    if (found == layers.end()) {
      std::string known;
      for (const std::string_view one : kLayerNames)
        known += (known.empty() ? "" : ", ") + std::string(one);
      return fail(
          {.message = "there is no sandbox layer \"" + name + "\"", .expected = "one of " + known});
    }
    if (found->state != Layer::State::on) {
      return fail(
          {.code = ErrorCode::unavailable,
           .message = "the required sandbox layer \"" + name + "\" is not active: " + found->detail,
           .hint = "run on a machine that offers it, or require less"});
    }
  }
  return {};
}

class SandboxedPool : public WorkerPool {
 public:
  explicit SandboxedPool(std::shared_ptr<WorkerNursery> nursery) : nursery_(std::move(nursery)) {}
  ~SandboxedPool() override { nursery_->retire(); }

  WorkerResult<std::unique_ptr<Worker>> take() override {
    auto process = nursery_->take();
    if (!process) {
      return tl::unexpected(Fault{OutcomeKind::device_lost, process.error().message});
    }
    return std::make_unique<SandboxedWorker>(nursery_, std::move(*process));
  }
  [[nodiscard]] std::uint64_t started() const override { return nursery_->started(); }

 private:
  std::shared_ptr<WorkerNursery> nursery_;
};

}  // namespace

Result<std::unique_ptr<WorkerPool>> WorkerPool::create(WorkerOptions options, int standby,
                                                       std::string program) {
  KERNATLAS_CHECK(options.threads >= 1);
  if (program.empty()) {
    auto found = find_worker_program();
    if (!found) return tl::unexpected(found.error());
    program = std::move(*found);
  }
  auto nursery = std::make_shared<WorkerNursery>(std::move(program), std::move(options), standby);
  auto first = nursery->take();
  if (!first) return tl::unexpected(first.error());
  if (auto fine = check_layers(nursery->options().require, (*first)->layers()); !fine) {
    return tl::unexpected(fine.error());
  }
  nursery->put_back(std::move(*first));
  return std::make_unique<SandboxedPool>(std::move(nursery));
}

}  // namespace kernatlas
