#include "backends/worker/program/serve.h"

#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <optional>

#include "backends/worker/exec_report.h"
#include "backends/worker/memory_file.h"
#include "backends/worker/program/fault_handler.h"
#include "backends/worker/program/filters.h"
#include "backends/worker/program/isolation.h"
#include "backends/worker/program/landlock.h"
#include "backends/worker/program/program_socket.h"
#include "backends/worker/program/team.h"
#include "backends/worker/protocol.h"

namespace kernatlas {

namespace {

constexpr std::uint64_t kOwnBytes = 64u << 20;        // of this program, beside the candidate's
constexpr std::uint64_t kOwnAddressBytes = 1u << 30;  // libraries, heaps, reservations
constexpr std::uint64_t kThreadBytes = kStackBytes + kStackGuardBytes + (1u << 20);

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A launch sequence, resolved.
struct Bound {
  std::vector<LaunchJob> launches;
  std::vector<std::vector<void*>> slots;
};

// The state of the process: grows from empty over load and bind; run repeats.
class Server {
 public:
  explicit Server(const Arguments& arguments)
      : arguments_(arguments), team_(arguments.threads, arguments.cpus) {}

  void put_on_layers();
  [[nodiscard]] bool start_helpers() { return team_.start(); }
  // The life of thread 0.
  void serve();

 private:
  Reply answer(const LoadRequest& load, const std::vector<int>& descriptors);
  Reply answer(const BindRequest& bind, const std::vector<int>& descriptors);
  Reply answer(const RunRequest& run, const std::vector<int>& descriptors);
  std::string map_arena(int descriptor, std::uint64_t bytes);
  std::string open_images(const std::vector<int>& descriptors);
  std::int64_t run_group(const std::vector<std::uint32_t>& group);

  Arguments arguments_;
  Hello hello_;
  std::optional<WorkerFilters> filters_;
  Team team_;
  ArenaPlace arena_;
  std::vector<void*> modules_;
  std::optional<Bound> bound_;
};

Reply reply_with(Reply::State state, std::string text) {
  Reply reply;
  reply.state = state;
  reply.text = std::move(text);
  return reply;
}
Reply refused(std::string text) {
  return reply_with(Reply::State::refused, std::move(text));
}
Reply broken(std::string text) {
  return reply_with(Reply::State::broken, std::move(text));
}

void Server::put_on_layers() {
  const bool trusted = arguments_.trusted;
  const auto threads = static_cast<std::uint64_t>(arguments_.threads);
  Isolation isolation = isolate({.keep_identity = trusted});
  hello_.layers = {
      isolation.namespaces,
      limit_resources({.cpu_s = arguments_.cpu_s,
                       .open_files = kMaxImages + 16,
                       .data_bytes = arguments_.memory_bytes + kOwnBytes + threads * kThreadBytes}),
      isolation.nobody, forbid_new_privileges(),
      die_with_parent(static_cast<pid_t>(arguments_.parent))};
  hello_.layers.push_back(trusted ? Layer{"landlock", Layer::State::off, "trusted"}
                                  : restrict_files({}));
  prctl(PR_SET_DUMPABLE, 0);
  mallopt(M_ARENA_MAX, 1);
  void* page =
      mmap(nullptr, kBlackBoxBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kBlackBoxDescriptor, 0);
  close(kBlackBoxDescriptor);
  const std::uint64_t largest = arguments_.memory_bytes;
  install_fault_handler(page != MAP_FAILED ? static_cast<BlackBox*>(page) : nullptr, largest);
  if (!trusted) filters_.emplace(kSocketDescriptor, largest);
}

void Server::serve() {
  if (!arguments_.cpus.empty()) pin_to({arguments_.cpus.front()});
  prepare_thread_for_faults();
  const Layer off{"seccomp", Layer::State::off, "trusted"};
  hello_.layers.push_back(filters_ ? filters_->enter_loading() : off);
  if (hello_.layers.back().state != Layer::State::on) filters_.reset();
  if (!send_frame(encode(hello_))) return;
  std::string frame;
  std::vector<int> descriptors;
  while (receive_frame(frame, descriptors)) {
    const auto request = decode_request(frame);
    if (!request) return;
    Reply reply =
        std::visit([&](const auto& message) { return answer(message, descriptors); }, *request);
    reply.nonce = std::visit([](const auto& message) { return message.nonce; }, *request);
    descriptors.clear();
    if (!send_frame(encode(reply))) return;
  }
}

// The buffers lie between two zones without access, so that a stray pointer faults instead of
// reaching this program's own memory.
std::string Server::map_arena(int descriptor, std::uint64_t bytes) {
  void* zone = mmap(nullptr, bytes + 2 * kGuardBytes, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zone == MAP_FAILED) return std::string("reserving addresses: ") + std::strerror(errno);
  void* data = mmap(static_cast<std::byte*>(zone) + kGuardBytes, bytes, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED, descriptor, 0);
  if (data == MAP_FAILED) return std::string("mapping the buffers: ") + std::strerror(errno);
  arena_ = {static_cast<std::byte*>(data), bytes};
  note_arena(arena_);
  return {};
}

std::string Server::open_images(const std::vector<int>& descriptors) {
  for (std::size_t i = 1; i < descriptors.size(); ++i) {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptors[i]);
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) return dlerror();
    modules_.push_back(module);
  }
  return {};
}

Reply Server::answer(const LoadRequest& load, const std::vector<int>& descriptors) {
  if (arena_.data != nullptr) return broken("already loaded");
  if (descriptors.size() != load.images + std::size_t{1}) return broken("descriptors are missing");
  const std::uint64_t most = kOwnAddressBytes + 2 * kGuardBytes + load.arena_bytes +
                             arguments_.memory_bytes +
                             static_cast<std::uint64_t>(arguments_.threads) * kThreadBytes;
  const rlimit addresses{most, most};
  (void)setrlimit(RLIMIT_AS, &addresses);  // a second fence behind the limit on data
  if (std::string why = map_arena(descriptors[0], load.arena_bytes); !why.empty()) {
    return broken(why);
  }
  if (std::string why = open_images(descriptors); !why.empty()) return refused(why);
  for (const int descriptor : descriptors) close(descriptor);
  if (filters_ && !filters_->enter_running()) return broken("the system call filter was refused");
  return {};
}

Reply Server::answer(const BindRequest& bind, const std::vector<int>&) {
  const Binding& binding = bind.binding;
  if (binding.module >= modules_.size()) return broken("no such module");
  Bound bound;
  for (const LaunchCall& launch : binding.launches) {
    void* symbol = dlsym(modules_[binding.module], launch.symbol.c_str());
    if (symbol == nullptr) return refused("the object has no function " + launch.symbol);
    bound.launches.push_back({reinterpret_cast<LaunchFunction>(symbol), nullptr, launch.points});
  }
  for (const auto& offsets : binding.slots) {
    auto& pointers = bound.slots.emplace_back();
    for (const std::uint64_t offset : offsets) {
      if (offset >= arena_.size) return broken("a buffer lies outside the arena");
      pointers.push_back(arena_.data + offset);
    }
  }
  bound_ = std::move(bound);
  return {};
}

std::int64_t Server::run_group(const std::vector<std::uint32_t>& group) {
  Team::reset_floating_point();
  const std::int64_t start = now_ns();
  for (const std::uint32_t slot : group) {
    for (LaunchJob job : bound_->launches) {
      job.buffers = bound_->slots[slot].data();
      team_.run(job);
    }
  }
  return now_ns() - start;
}

Reply Server::answer(const RunRequest& run, const std::vector<int>&) {
  if (!bound_) return broken("nothing is bound");
  for (const auto& group : run.groups) {
    for (const std::uint32_t slot : group) {
      if (slot >= bound_->slots.size()) return broken("no such slot");
    }
  }
  Reply reply;
  reply.sample_ns.reserve(run.groups.size());
  for (const auto& group : run.groups) reply.sample_ns.push_back(run_group(group));
  return reply;
}

void* first_thread(void* server) {
  static_cast<Server*>(server)->serve();
  return nullptr;
}

}  // namespace

int run_serve(const Arguments& arguments) {
  // Never destroyed: its threads end with the process.
  auto* server = new Server(arguments);
  server->put_on_layers();
  pthread_t id{};
  if (!server->start_helpers() || !start_thread(&first_thread, server, &id)) return 1;
  pthread_join(id, nullptr);
  _exit(0);
}

int run_probe(const Arguments& arguments) {
  Isolation isolation = isolate({.own_processes = true});
  Hello hello;
  hello.layers = {isolation.namespaces,
                  limit_resources({.cpu_s = 60}),
                  isolation.nobody,
                  forbid_new_privileges(),
                  die_with_parent(static_cast<pid_t>(arguments.parent)),
                  restrict_files({})};
  WorkerFilters filters(kSocketDescriptor, kOwnBytes);
  Layer seccomp = filters.enter_loading();
  if (seccomp.state == Layer::State::on && !filters.enter_running()) {
    seccomp = {"seccomp", Layer::State::unsupported, "the second filter was refused"};
  }
  hello.layers.push_back(std::move(seccomp));
  const bool sent = send_frame(encode(hello));
  _exit(sent ? 0 : 1);
}

}  // namespace kernatlas
