// CpuCompiler end to end: real compilers in the real sandbox.
#include "backends/cpu/cpu_compiler.h"

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

#include "tests/backends/cpu/cpu_test_support.h"
#include "tests/support/skip.h"
#include "tests/support/temp_dir.h"

using namespace kernatlas;
using namespace kernatlas::testing;

namespace {

const char* const kScale =
    "extern \"C\" void k(const float* x, const float* w, float* y, Block at) {\n"
    "  for (int i = 0; i < COLS; ++i) y[at.x * COLS + i] = x[at.x * COLS + i] * w[i];\n"
    "}\n";

// Loads an image and calls a launch over [begin, end). In this process: the object passed
// inspection.
class Loaded {
 public:
  explicit Loaded(const std::string& image) {
    const auto file = dir_.write("object.so", image);
    handle_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE_MESSAGE(handle_ != nullptr, dlerror());
  }
  ~Loaded() { dlclose(handle_); }
  void launch(const char* symbol, const std::vector<void*>& buffers, std::int64_t begin,
              std::int64_t end) const {
    using Launcher = void (*)(void* const*, std::int64_t, std::int64_t);
    const auto function = reinterpret_cast<Launcher>(dlsym(handle_, symbol));
    REQUIRE(bool(function));
    function(buffers.data(), begin, end);
  }

 private:
  TempDir dir_;
  void* handle_ = nullptr;
};

}  // namespace

TEST_CASE("a candidate becomes one object per workload that computes what it says") {
  const auto compiled = shared_compiler().compile(candidate_of(one_launch(kScale)));
  const std::string problem = compiled ? "" : compiled.error().message + compiled.error().detail;
  REQUIRE_MESSAGE(compiled, problem);
  const Compiled& object = **compiled;
  REQUIRE(object.images.size() == 2);
  CHECK(*object.images[0] != *object.images[1]);  // dims are macros
  CHECK(object.compile_s > 0);
  CHECK(!object.features.empty());
  std::vector<float> x(7 * 333), w(333), y(7 * 333, -1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 17);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i);
  const Loaded loaded(*object.images[1]);
  loaded.launch("kernatlas_launch_0", {x.data(), w.data(), y.data()}, 2, 5);
  CHECK(y[2 * 333 - 1] == -1);
  CHECK(y[2 * 333 + 10] == x[2 * 333 + 10] * 10);
  CHECK(y[5 * 333 - 1] == x[5 * 333 - 1] * 332);
  CHECK(y[5 * 333] == -1);
}
