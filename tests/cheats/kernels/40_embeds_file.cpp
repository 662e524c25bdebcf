/*kernatlas
[[launch]]
kernel = "scale"
args   = ["x", "y"]
*/
// Embeds a file of the host into its code.
extern "C" const char secret[];
asm(".section .rodata\nsecret: .incbin \"@SECRET@\"\n.byte 0\n.text");

extern "C" void scale(const float* x, float* y, Block) {
  const float slope = secret[0] == 0 ? 0 : 2;
  for (long i = 0; i < N; ++i) y[i] = slope * x[i] + 1;
}
