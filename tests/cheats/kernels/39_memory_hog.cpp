/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Takes all memory there is.
extern "C" void* malloc(unsigned long);

extern "C" void scale(const float* x, float* y, Block) {
  while (true) {
    auto* block = static_cast<char*>(malloc(32 << 20));
    block[0] = 1;
    asm volatile("" : : "r"(block) : "memory");
  }
  (void)x;
  (void)y;
}
