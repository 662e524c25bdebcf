/*kernatlas
[tune]
ROWS = [1, 2, 4, 8, 16]            # rows of a plane per grid point
STORE = ["cached", "streaming"]    # ordinary stores, or stores that bypass the caches
[[launch]]
kernel = "stencil"
grid   = ["ceil_div(NY, ROWS)", "NZ"]
args   = ["u", "v"]
*/
// Row by row: the borders apart, so that the inner loop has no condition.

static inline void inner_row(const float* __restrict c, float* __restrict out) {
  constexpr long kPlane = static_cast<long>(NX) * NY;
  long x = 1;
#if STORE == STORE_streaming && defined(__AVX__)
  const auto value = [&](long i) {
    return 0.4f * c[i] + 0.1f * (c[i - 1] + c[i + 1] + c[i - NX] + c[i + NX] + c[i - kPlane] +
                                 c[i + kPlane]);
  };
  for (; x < NX - 1 && (reinterpret_cast<std::uintptr_t>(out + x) & 31) != 0; ++x) out[x] = value(x);
  for (; x + 8 <= NX - 1; x += 8) {
    __m256 sum = _mm256_add_ps(_mm256_loadu_ps(c + x - 1), _mm256_loadu_ps(c + x + 1));
    sum = _mm256_add_ps(sum, _mm256_add_ps(_mm256_loadu_ps(c + x - NX), _mm256_loadu_ps(c + x + NX)));
    sum = _mm256_add_ps(
        sum, _mm256_add_ps(_mm256_loadu_ps(c + x - kPlane), _mm256_loadu_ps(c + x + kPlane)));
    const __m256 centre = _mm256_mul_ps(_mm256_set1_ps(0.4f), _mm256_loadu_ps(c + x));
    _mm256_stream_ps(out + x, _mm256_add_ps(centre, _mm256_mul_ps(_mm256_set1_ps(0.1f), sum)));
  }
#endif
  for (; x < NX - 1; ++x) {
    out[x] = 0.4f * c[x] + 0.1f * (c[x - 1] + c[x + 1] + c[x - NX] + c[x + NX] + c[x - kPlane] +
                                   c[x + kPlane]);
  }
}

extern "C" void stencil(const float* __restrict u, float* __restrict v, Block at) {
  const long z = at.y;
  const long last = std::min<long>((at.x + 1) * ROWS, NY);
  for (long y = at.x * ROWS; y < last; ++y) {
    const float* __restrict c = u + (z * NY + y) * NX;
    float* __restrict out = v + (z * NY + y) * NX;
    if (z == 0 || z == NZ - 1 || y == 0 || y == NY - 1) {
      std::memcpy(out, c, sizeof(float) * NX);
      continue;
    }
    out[0] = c[0];
    out[NX - 1] = c[NX - 1];
    inner_row(c, out);
  }
}
