#include "backends/worker/command.h"

#include <sched.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "tests/backends/worker/worker_fixture.h"
#include "tests/support/skip.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

CommandResult run(const CommandRequest& request) {
  auto result = run_command(request);
  REQUIRE_MESSAGE(result, (result ? "" : result.error().text()));
  return std::move(*result);
}

CommandResult shell(const TempDir& dir, const std::string& script) {
  return run({.argv = {"sh", "-c", script}, .work_dir = dir.path()});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool layer_is_on(const std::string& name) {
  return static_cast<bool>(WorkerPool::create({.require = {name}}, 0));
}

}  // namespace

TEST_CASE("output, exit code and signal of a tool") {
  TempDir dir;
  const CommandResult good = shell(dir, "echo out; echo err >&2");
  CHECK(good.ok());
  CHECK(good.output == "out\nerr\n");
  CHECK(good.wall_s > 0);
  const CommandResult failed = shell(dir, "exit 7");
  CHECK_FALSE(failed.ok());
  CHECK(failed.exit_code == 7);
  const CommandResult killed = shell(dir, "kill -SEGV $$");
  CHECK(killed.exit_code == -1);
  CHECK(killed.signal == SIGSEGV);
  CHECK_FALSE(killed.timed_out);
}

TEST_CASE("a compiler compiles, into its working directory") {
  TempDir dir;
  dir.write("kernel.cc",
            "#include <cmath>\nextern \"C\" double f(double x) { return std::sin(x); }\n");
  const CommandResult result =
      run({.argv = {"g++", "-O2", "-fPIC", "-shared", "kernel.cc", "-o", "kernel.so"},
           .work_dir = dir.path(),
           .timeout_s = 120});
  CHECK_MESSAGE(result.ok(), result.output);
  CHECK(std::filesystem::file_size(dir.path() / "kernel.so") > 1000);
  // Nothing temporary stays behind.
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path()))
    ++files;
  CHECK(files == 2);
}

TEST_CASE("a compiler reads no file but the toolchain's and what it was given") {
  if (!layer_is_on("landlock")) return skip("no Landlock here");
  TempDir dir;
  TempDir secrets;  // readable for everybody, but not for a compiler
  TempDir given;
  secrets.write("expected.h", "int secret = 42;\n");
  std::filesystem::permissions(secrets.path(), std::filesystem::perms::all);
  given.write("prelude.h", "#define ANSWER 42\n");
  const auto compile = [&](const std::string& source) {
    dir.write("a.cc", source);
    return run({.argv = {"g++", "-c", "a.cc", "-o", "a.o", "-I", given.path().string()},
                .work_dir = dir.path(),
                .readable = {given.path()},
                .timeout_s = 120});
  };
  CHECK(compile("#include <prelude.h>\nint x = ANSWER;\n").ok());
  for (const std::string& source :
       {"#include \"" + (secrets.path() / "expected.h").string() + "\"\n",
        std::string("#include \"/etc/passwd\"\n"), std::string("#include \"/proc/self/environ\"\n"),
        "asm(\".incbin \\\"" + (secrets.path() / "expected.h").string() + "\\\"\");\n"}) {
    CAPTURE(source);
    const CommandResult result = compile(source);
    CHECK_FALSE(result.ok());
    // The assembler calls it "not found".
    CHECK((contains(result.output, "ermission denied") ||
           contains(result.output, "file not found: " + (secrets.path() / "expected.h").string())));
    CHECK_FALSE(contains(result.output, "root:"));
  }
}

TEST_CASE("a tool writes nowhere but into its working directory") {
  if (!layer_is_on("landlock")) return skip("no Landlock here");
  TempDir dir;
  TempDir other;
  std::filesystem::permissions(other.path(), std::filesystem::perms::all);
  CHECK(shell(dir, "echo x > inside && mkdir sub && echo y > sub/z && rm sub/z").ok());
  CHECK_FALSE(shell(dir, "echo x > " + (other.path() / "outside").string()).ok());
  CHECK_FALSE(std::filesystem::exists(other.path() / "outside"));
  CHECK_FALSE(shell(dir, "echo x > /tmp/kernatlas-outside").ok());
  CHECK(shell(dir, "echo x > /dev/null").ok());
  // What it writes cannot be started.
  CHECK_FALSE(shell(dir, "cp /bin/true copy && ./copy").ok());
}

TEST_CASE("nothing of our environment and descriptors reaches a tool") {
  TempDir dir;
  setenv("KERNATLAS_TEST_KEY", "secret-key", 1);
  const CommandResult environment = shell(dir, "env; ls /proc/self/fd");
  unsetenv("KERNATLAS_TEST_KEY");
  CHECK_FALSE(contains(environment.output, "secret-key"));
  CHECK(contains(environment.output, "TMPDIR=" + dir.path().string()));
  const CommandResult descriptors = shell(dir,
                                          "for i in 3 4 5 6 7 8 9; do { echo >&$i; } 2>/dev/null "
                                          "&& echo open $i; done; true");
  CHECK(descriptors.output.empty());
}

TEST_CASE("there is no network") {
  if (!layer_is_on("seccomp")) return skip("no seccomp here");
  TempDir dir;
  const CommandResult result =
      run({.argv = {"bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/22"}, .work_dir = dir.path()});
  CHECK_FALSE(result.ok());
  CHECK(contains(result.output, "Operation not permitted"));
}

TEST_CASE("a tool that hangs is killed at its time") {
  TempDir dir;
  for (const char* script :
       {"while :; do :; done", "trap '' TERM INT HUP; sleep 100 & wait; sleep 100"}) {
    const CommandResult result =
        run({.argv = {"sh", "-c", script}, .work_dir = dir.path(), .timeout_s = 0.3});
    CHECK(result.timed_out);
    CHECK_FALSE(result.ok());
    CHECK(result.wall_s >= 0.3);
  }
}

TEST_CASE("a compiler that a template or a constant keeps busy is killed") {
  TempDir dir;
  dir.write("a.cc",
            "constexpr int f() { unsigned x = 0; for (;;) { x = x * 3 + 1; if (x == 0x7fffffff && "
            "x == 1) "
            "return 1; } }\nconstexpr int y = f();\n");
  const CommandResult result =
      run({.argv = {"g++", "-c", "a.cc", "-fconstexpr-loop-limit=2147483647",
                    "-fconstexpr-ops-limit=9223372036854775807"},
           .work_dir = dir.path(),
           .timeout_s = 1});
  CHECK(result.timed_out);
}

TEST_CASE("a memory hog is a failing tool") {
  TempDir dir;
  dir.write("a.cc",
            "template <int N> struct A { char name[N + 1]; A<N - 1> next; };\n"
            "template <> struct A<0> {};\nA<800> a;\nint main() {}\n");
  const CommandResult result = run({.argv = {"g++", "-c", "a.cc", "-ftemplate-depth=900"},
                                    .work_dir = dir.path(),
                                    .timeout_s = 60,
                                    .memory_bytes = 60u << 20});
  CHECK_FALSE(result.ok());
  CHECK_FALSE(result.timed_out);
}

TEST_CASE("endless output is cut, and the tool is not blocked by it") {
  TempDir dir;
  const CommandResult result =
      run({.argv = {"sh", "-c", "yes 0123456789 | head -c 5000000; exit 3"},
           .work_dir = dir.path(),
           .timeout_s = 60,
           .output_bytes = 1000});
  CHECK(result.exit_code == 3);
  CHECK(result.output.size() < 1100);
  CHECK(contains(result.output, "[cut: 4999000 more bytes]"));
  CHECK(contains(result.output, "0123456789"));
  const CommandResult endless =
      run({.argv = {"yes"}, .work_dir = dir.path(), .timeout_s = 0.3, .output_bytes = 1000});
  CHECK(endless.timed_out);
  CHECK(endless.output.size() < 1100);
}

TEST_CASE("a file that grows too large ends the tool") {
  TempDir dir;
  const CommandResult result = run({.argv = {"sh", "-c", "yes > big"},
                                    .work_dir = dir.path(),
                                    .timeout_s = 60,
                                    .file_bytes = 100'000});
  CHECK_FALSE(result.ok());
  CHECK_FALSE(result.timed_out);
  CHECK(std::filesystem::file_size(dir.path() / "big") <= 100'000);
}

TEST_CASE("a detached child does not outlive its tool") {
  TempDir dir;
  // It would write a line every 20 ms for as long as it lives.
  const std::string stray =
      "setsid sh -c 'while :; do echo alive >> heart; sleep 0.02; done' >/dev/null 2>&1 < "
      "/dev/null &";
  for (const std::string& end : {std::string(" sleep 0.2; exit 0"), std::string(" sleep 100")}) {
    std::filesystem::remove(dir.path() / "heart");
    const CommandResult result =
        run({.argv = {"sh", "-c", stray + end}, .work_dir = dir.path(), .timeout_s = 1.5});
    CHECK(result.timed_out == contains(end, "100"));
    REQUIRE(std::filesystem::exists(dir.path() / "heart"));
    const auto size = std::filesystem::file_size(dir.path() / "heart");
    std::this_thread::sleep_for(150ms);
    CHECK(std::filesystem::file_size(dir.path() / "heart") == size);
  }
  CHECK(childless());
}

TEST_CASE("a fork bomb ends with its tool") {
  TempDir dir;
  dir.write("bomb.sh", "f() { f & f & wait; }; f\n");
  const CommandResult result =
      run({.argv = {"sh", "bomb.sh"}, .work_dir = dir.path(), .timeout_s = 1});
  // Where processes can be counted apart, "Cannot fork" comes long before the machine suffers.
  if (layer_is_on("namespaces")) CHECK_FALSE(result.output.empty());
  CHECK(childless());
}

TEST_CASE("root's tools run as nobody, or as root without any power") {
  if (geteuid() != 0 || !layer_is_on("nobody")) return skip("needs root");
  TempDir dir;
  TempDir closed;  // 0700 and root's
  const auto script = [&](std::vector<std::filesystem::path> readable) {
    return run({.argv = {"sh", "-c", "id -u; rm -f mine; touch mine && chown 1 mine"},
                .work_dir = dir.path(),
                .readable = std::move(readable)});
  };
  for (int round = 0; round < 2; ++round) {
    const CommandResult nobody = script({});
    CHECK(contains(nobody.output, "65534\n"));
    CHECK(contains(nobody.output, "chown: "));
    const CommandResult powerless = script({closed.path()});
    CHECK(contains(powerless.output, "0\n"));
    CHECK_FALSE(contains(powerless.output, "65534"));
    CHECK(contains(powerless.output, "chown: "));
    CHECK_FALSE(powerless.ok());
  }
}

TEST_CASE("a folder that everybody may write to keeps its owner") {
  if (geteuid() != 0) return skip("needs root");
  TempDir dir;
  std::filesystem::permissions(dir.path(), std::filesystem::perms::all);
  REQUIRE(shell(dir, "echo x > made").ok());
  struct stat status {};
  REQUIRE(stat(dir.path().c_str(), &status) == 0);
  CHECK(status.st_uid == 0);
}

TEST_CASE("a tool stays on the CPUs it is given") {
  TempDir dir;
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  int cpu = 0;
  while (!CPU_ISSET(static_cast<unsigned>(cpu), &set)) ++cpu;
  CHECK(run({.argv = {"nproc"}, .work_dir = dir.path(), .cpus = {cpu}}).output == "1\n");
}

TEST_CASE("what is missing is an error that says what") {
  TempDir dir;
  const auto tool = run_command({.argv = {"no-such-compiler-17"}, .work_dir = dir.path()});
  REQUIRE_FALSE(tool);
  CHECK(tool.error().code == ErrorCode::unavailable);
  CHECK(contains(tool.error().message, "no-such-compiler-17"));
  const auto folder = run_command({.argv = {"true"}, .work_dir = dir.path() / "nowhere"});
  REQUIRE_FALSE(folder);
  CHECK(folder.error().code == ErrorCode::io);
}

TEST_CASE("a trusted tool may read, but writes no further") {
  TempDir dir;
  TempDir other;
  other.write("library.h", "#define SIX 6\n");
  const CommandResult read = run({.argv = {"cat", (other.path() / "library.h").string()},
                                  .work_dir = dir.path(),
                                  .trusted = true});
  CHECK(read.output == "#define SIX 6\n");
  if (!layer_is_on("landlock")) return;
  CHECK_FALSE(run({.argv = {"touch", (other.path() / "x").string()},
                   .work_dir = dir.path(),
                   .trusted = true})
                  .ok());
}

TEST_CASE("commands run side by side and leave no descriptor open") {
  TempDir dir;
  CHECK(shell(dir, "true").ok());
  const int before = open_descriptors();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&good, i] {
      TempDir own;
      for (int round = 0; round < 5; ++round) {
        const auto result = run_command(
            {.argv = {"sh", "-c", "echo $0", std::to_string(i)}, .work_dir = own.path()});
        if (result && result->ok() && result->output == std::to_string(i) + "\n") ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(good == 15);
  CHECK(open_descriptors() == before);
  CHECK(childless());
}
