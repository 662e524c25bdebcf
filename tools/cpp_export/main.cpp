// Checks and times one kernel on every workload: an exported elite and nothing of the search
// engine. plan.h says which buffers and launches there are; the kernel, the float64 reference and
// the plain baseline of each workload are shared objects made from kernel_<i>.cpp,
// reference_<i>.cpp and baseline_<i>.cpp. Times are medians over freshly flushed caches, on one
// thread.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "plan.h"
#include "prelude.h"

namespace {

using Bytes = std::vector<unsigned char>;
using LaunchFunction = void (*)(void* const*, std::int64_t, std::int64_t);

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

std::size_t size_of(Type type) {
  switch (type) {
    case Type::f64:
    case Type::i64:
      return 8;
    case Type::f32:
    case Type::i32:
      return 4;
    case Type::f16:
    case Type::bf16:
      return 2;
    default:
      return 1;
  }
}

bool is_float(Type type) {
  return type <= Type::f8_e5m2;
}

template <typename T>
T element(const Bytes& data, std::size_t i) {
  T value;
  std::memcpy(&value, data.data() + i * sizeof(T), sizeof(T));
  return value;
}

double load(Type type, const Bytes& data, std::size_t i) {
  switch (type) {
    case Type::f64:
      return element<double>(data, i);
    case Type::f32:
      return element<float>(data, i);
    case Type::f16:
      return f16_to_float(element<std::uint16_t>(data, i));
    case Type::bf16:
      return bf16_to_float(element<std::uint16_t>(data, i));
    case Type::f8_e4m3:
      return e4m3_to_float(data[i]);
    case Type::f8_e5m2:
      return e5m2_to_float(data[i]);
    case Type::i8:
      return element<std::int8_t>(data, i);
    case Type::i32:
      return element<std::int32_t>(data, i);
    case Type::i64:
      return static_cast<double>(element<std::int64_t>(data, i));
    default:
      return data[i];
  }
}

// A shared object and its launches.
class Program {
 public:
  Program(const std::string& file, const std::vector<Launch>& launches) : launches_(launches) {
    void* handle = dlopen(("./" + file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) stop(dlerror());
    for (const Launch& launch : launches) {
      void* symbol = dlsym(handle, launch.symbol);
      if (symbol == nullptr) stop(dlerror());
      functions_.push_back(reinterpret_cast<LaunchFunction>(symbol));
    }
  }
  void run(void* const* buffers) const {
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      functions_[i](buffers, 0, launches_[i].points);
    }
  }

 private:
  const std::vector<Launch>& launches_;
  std::vector<LaunchFunction> functions_;
};

Bytes read(const std::string& file, std::size_t size) {
  Bytes data(size);
  std::ifstream in(file, std::ios::binary);
  if (!in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(size))) {
    stop(file + ": cannot be read");
  }
  return data;
}

// Inputs as the reference wants them: double or std::int64_t.
Bytes widened(const Tensor& tensor, const Bytes& data) {
  Bytes wide(tensor.elements * 8);
  for (std::size_t i = 0; i < tensor.elements; ++i) {
    const double value = load(tensor.type, data, i);
    const auto integer = static_cast<std::int64_t>(value);
    std::memcpy(wide.data() + 8 * i,
                is_float(tensor.type) ? static_cast<const void*>(&value) : &integer, 8);
  }
  return wide;
}

struct Buffers {
  std::vector<Bytes> storage;
  std::vector<void*> pointers;
  void add(Bytes bytes) {
    bytes.resize(std::max<std::size_t>(bytes.size(), 1));
    storage.push_back(std::move(bytes));
    pointers.push_back(storage.back().data());
  }
};

Buffers make_buffers(const Workload& workload, const std::vector<Bytes>& inputs,
                     const std::vector<std::size_t>& workspaces, bool wide) {
  Buffers buffers;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    buffers.add(wide ? widened(workload.inputs[i], inputs[i]) : inputs[i]);
  }
  for (const Tensor& output : workload.outputs) {
    buffers.add(Bytes(output.elements * (wide ? 8 : size_of(output.type)), 0xcc));
  }
  for (const std::size_t bytes : workspaces) buffers.add(Bytes(bytes, 0));
  return buffers;
}

struct Errors {
  double norm = 0;
  double worst = 0;
};

// |y - y64| / |y64| in the 2-norm, and the largest |y - y64| / (|y64| + rms(y64)).
Errors errors_of(const Tensor& output, const Bytes& got, const Bytes& expected) {
  double difference2 = 0;
  double norm2 = 0;
  const auto reference = [&](std::size_t i) {
    return is_float(output.type) ? element<double>(expected, i)
                                 : static_cast<double>(element<std::int64_t>(expected, i));
  };
  for (std::size_t i = 0; i < output.elements; ++i) norm2 += reference(i) * reference(i);
  const double rms = std::sqrt(norm2 / static_cast<double>(output.elements));
  double worst = 0;
  for (std::size_t i = 0; i < output.elements; ++i) {
    const double y = reference(i);
    const double difference = std::abs(load(output.type, got, i) - y);
    difference2 += difference * difference;
    const double scale = std::abs(y) + rms;
    // A NaN must not disappear in a comparison.
    const double error = difference == 0 ? 0 : difference / scale;
    if (!(error <= worst)) worst = error;
  }
  return {difference2 == 0 ? 0 : std::sqrt(difference2 / norm2), worst};
}

double now_ns() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double median_ns(const Program& program, const Buffers& buffers) {
  static std::vector<char> flush(64u << 20);
  std::vector<double> samples;
  for (int i = 0; i < 3; ++i) program.run(buffers.pointers.data());
  const double start = now_ns();
  while (samples.size() < 15 || (samples.size() < 101 && now_ns() - start < 0.5e9)) {
    for (std::size_t j = 0; j < flush.size(); j += 64) ++flush[j];
    const double before = now_ns();
    program.run(buffers.pointers.data());
    samples.push_back(now_ns() - before);
  }
  std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
  return samples[samples.size() / 2];
}

bool check_and_time(const Workload& workload, std::size_t index) {
  const std::string suffix = "_" + std::to_string(index) + ".so";
  const std::vector<Launch> reference_launches{{"kernatlas_launch_0", 1}};
  const Program kernel("kernel" + suffix, workload.launches);
  const Program reference("reference" + suffix, reference_launches);
  const Program baseline("baseline" + suffix, workload.baseline_launches);
  std::vector<Bytes> inputs;
  for (const Tensor& input : workload.inputs) {
    inputs.push_back(read("data/" + std::to_string(index) + "_" + input.name + ".bin",
                          input.elements * size_of(input.type)));
  }
  Buffers expected = make_buffers(workload, inputs, {}, true);
  Buffers got = make_buffers(workload, inputs, workload.workspaces, false);
  Buffers plain = make_buffers(workload, inputs, workload.baseline_workspaces, false);
  reference.run(expected.pointers.data());
  kernel.run(got.pointers.data());
  baseline.run(plain.pointers.data());
  bool correct = true;
  Errors worst;
  for (std::size_t i = 0; i < workload.outputs.size(); ++i) {
    const Tensor& output = workload.outputs[i];
    const std::size_t slot = inputs.size() + i;
    const Errors error = errors_of(output, got.storage[slot], expected.storage[slot]);
    const Errors allowed = errors_of(output, plain.storage[slot], expected.storage[slot]);
    correct = correct && error.norm <= std::max(output.k * allowed.norm, output.e0) &&
              error.worst <= std::max(output.k * allowed.worst, output.w0);
    if (!(error.norm <= worst.norm)) worst = error;
  }
  const double kernel_ns = median_ns(kernel, got);
  const double baseline_ns = median_ns(baseline, plain);
  std::printf("%-14s %-8s %10.1f us   baseline %10.1f us   %6.2fx   error %.2e  %s\n",
              workload.name, workload.role, kernel_ns / 1e3, baseline_ns / 1e3,
              baseline_ns / kernel_ns, worst.norm, correct ? "correct" : "WRONG");
  return correct;
}

}  // namespace

int main() {
  bool correct = true;
  for (std::size_t i = 0; i < workloads.size(); ++i) correct &= check_and_time(workloads[i], i);
  return correct ? 0 : 1;
}
