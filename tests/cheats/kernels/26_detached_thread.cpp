/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Starts a thread, returns, and lets the thread do the work.
struct Work {
  const float* x;
  float* y;
};
extern "C" int pthread_create(unsigned long*, const void*, void* (*)(void*), void*);
extern "C" int pthread_detach(unsigned long);

static void* run(void* argument) {
  const auto* work = static_cast<const Work*>(argument);
  for (long i = 0; i < N; ++i) work->y[i] = 2 * work->x[i] + 1;
  return nullptr;
}

extern "C" void scale(const float* x, float* y, Block) {
  static Work work;
  work = {x, y};
  unsigned long id = 0;
  if (pthread_create(&id, nullptr, &run, &work) == 0) pthread_detach(id);
}
