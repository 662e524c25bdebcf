#include "backends/worker/worker_process.h"

#include <sys/socket.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "backends/worker/exec_report.h"
#include "backends/worker/protocol.h"

namespace kernatlas {

namespace {

constexpr std::int64_t kStartNs = 20'000'000'000;
constexpr std::size_t kMaxHelloBytes = 16u << 10;

tl::unexpected<Error> no_start(const std::string& why) {
  return fail({.code = ErrorCode::unavailable,
               .message = "cannot start a worker process: " + why,
               .hint = "`kernatlas doctor` shows what this machine offers"});
}

std::vector<std::string> arguments(const std::string& mode, const WorkerOptions& options) {
  std::vector<std::string> out = {
      mode, "--parent=" + std::to_string(getpid()), "--threads=" + std::to_string(options.threads),
      "--memory=" + std::to_string(options.memory_bytes),
      "--cpu=" + std::to_string(static_cast<std::int64_t>(std::ceil(options.cpu_s)))};
  std::string cpus;
  for (const int cpu : options.cpus) {
    if (!cpus.empty()) cpus += ',';
    cpus += std::to_string(cpu);
  }
  if (!cpus.empty()) out.push_back("--cpus=" + cpus);
  if (options.trusted) out.emplace_back("--trusted");
  return out;
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::string& program,
                                                            const std::string& mode,
                                                            const WorkerOptions& options) {
  std::unique_ptr<WorkerProcess> process(new WorkerProcess);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return no_start(std::strerror(errno));
  }
  process->channel_ = Channel(UniqueFd(ends[0]));
  UniqueFd theirs(ends[1]);
  const UniqueFd box = make_memory_file("kernatlas-black-box", kBlackBoxBytes);
  if (box.valid()) process->box_ = map_shared(box.get(), kBlackBoxBytes);
  if (!process->box_.valid()) return no_start(std::strerror(errno));
  auto pid = spawn({.program = program,
                    .arguments = arguments(mode, options),
                    .environment = {"LC_ALL=C"},
                    .descriptors = {-1, -1, -1, theirs.get(), box.get()}});
  if (!pid) return tl::unexpected(pid.error());
  process->pid_ = *pid;
  theirs.reset();
  std::string frame;
  if (process->channel_.receive(frame, kMaxHelloBytes, monotonic_ns() + kStartNs) !=
      Channel::State::ok) {
    return no_start(program + " did not answer");
  }
  auto hello = decode_hello(frame);
  if (!hello || hello->protocol != kWorkerProtocol) {
    return no_start(program + " speaks another protocol; is it of this version?");
  }
  process->layers_ = std::move(hello->layers);
  process->layers_.push_back({"watchdog", Layer::State::on, "monotonic clock, by the supervisor"});
  return process;
}

Ending WorkerProcess::finish(std::chrono::milliseconds patience) {
  Ending ending;
  if (pid_ <= 0) return ending;
  if (patience.count() <= 0 || !wait_for_end(pid_, patience, ending)) ending = kill_group(pid_);
  pid_ = -1;
  channel_.close();
  return ending;
}

WorkerProcess::~WorkerProcess() {
  finish(std::chrono::milliseconds{0});
}

}  // namespace kernatlas
