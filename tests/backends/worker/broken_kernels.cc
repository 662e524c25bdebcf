// Objects that misbehave while they are being loaded.
#ifdef MISSING_SYMBOL
extern "C" void nobody_defines_this();
extern "C" void launch(void* const*, long, long) {
  nobody_defines_this();
}
#endif
#ifdef FORKING_CONSTRUCTOR
#include <unistd.h>
extern "C" void launch(void* const*, long, long) {}
[[gnu::constructor]] void before_anything() {
  (void)fork();
}
#endif
#ifdef READING_CONSTRUCTOR
// What it could read while it is loaded lands in a variable.
#include <fcntl.h>
#include <unistd.h>
namespace {
int opened = 0;
}
[[gnu::constructor]] void before_anything() {
  opened = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
}
extern "C" void launch(void* const* buffers, long, long) {
  static_cast<int*>(buffers[0])[0] = opened;
}
#endif
#ifdef CRASHING_CONSTRUCTOR
[[gnu::constructor]] void before_anything() {
  __builtin_trap();
}
extern "C" void launch(void* const*, long, long) {}
#endif
#ifdef SECOND_MODULE
extern "C" void twice(void* const* buffers, long begin, long end) {
  for (long i = begin; i < end; ++i) {
    static_cast<float*>(buffers[1])[i] = 20 * static_cast<float*>(buffers[0])[i];
  }
}
#endif
