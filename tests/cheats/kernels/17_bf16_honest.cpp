/*kernatlas
[[launch]]
kernel = "matmul"
grid   = ["M"]
args   = ["a", "b", "c"]
*/
// Three bf16 parts of every input together carry all its bits: six products keep single precision.
struct Parts {
  explicit Parts(float value)
      : high(bf16_to_float(float_to_bf16(value))),
        middle(bf16_to_float(float_to_bf16(value - high))),
        low(value - high - middle) {}
  float high, middle, low;
};

extern "C" void matmul(const float* a, const float* b, float* c, Block at) {
  float* out = c + at.x * N;
  for (long j = 0; j < N; ++j) out[j] = 0;
  for (long k = 0; k < K; ++k) {
    const Parts p(a[at.x * K + k]);
    for (long j = 0; j < N; ++j) {
      const Parts q(b[k * N + j]);
      const float small = p.high * q.low + p.low * q.high + p.middle * q.middle;
      out[j] += p.high * q.high + (p.high * q.middle + p.middle * q.high + small);
    }
  }
}
