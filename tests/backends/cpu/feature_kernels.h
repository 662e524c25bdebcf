// Kernels of different structure, each with signature k(x, w, y, at) over 64 × 1000 floats.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace kernatlas::testing {

inline const std::vector<std::pair<std::string, std::string>>& feature_kernels() {
  static const std::vector<std::pair<std::string, std::string>> kernels = {
      {"scalar chain", R"(
// A recurrence: nothing can be vectorised.
extern "C" void k(const float* x, const float* w, float* y, Block at) {
  float carry = 0;  // runs along the row
  for (int i = 0; i < COLS; ++i) {
    carry = carry * 0.5f + x[at.x * COLS + i] * w[i];
    y[at.x * COLS + i] = carry;
  }
}
)"},
      {"vector product", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  const float* row = x + at.x * COLS;
  float* out = y + at.x * COLS;
  /* independent elements */
  for (int i = 0; i < COLS; ++i) out[i] = row[i] * w[i] + 1.0f;
}
)"},
      {"polynomial", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  for (int i = 0; i < COLS; ++i) {
    const float value = x[at.x * COLS + i];
    float sum = 0.1f;
    for (int term = 0; term < 12; ++term) sum = sum * value + 0.25f;  // fully unrolled
    y[at.x * COLS + i] = sum * w[i];
  }
}
)"},
      {"gather", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  const float* row = x + at.x * COLS;
  for (int i = 0; i + 8 <= COLS; i += 8) {
    const __m256 weights = _mm256_loadu_ps(w + i);
    const __m256i index = _mm256_and_si256(_mm256_cvtps_epi32(weights), _mm256_set1_epi32(511));
    const __m256 values = _mm256_i32gather_ps(row, index, 4);
    _mm256_storeu_ps(y + at.x * COLS + i, _mm256_mul_ps(values, weights));
  }
}
)"},
      {"streaming", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  for (int i = 0; i + 8 <= COLS; i += 8) {
    const __m256 product =
        _mm256_mul_ps(_mm256_loadu_ps(x + at.x * COLS + i), _mm256_loadu_ps(w + i));
    _mm256_stream_ps(y + at.x * COLS + i, product);
  }
  _mm_sfence();
}
)"},
      {"prefetch", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  for (int i = 0; i + 16 <= COLS; i += 16) {
    _mm_prefetch(reinterpret_cast<const char*>(x + at.x * COLS + i + 256), _MM_HINT_T0);
    for (int j = 0; j < 16; ++j) y[at.x * COLS + i + j] = x[at.x * COLS + i + j] * w[i + j];
  }
}
)"},
      {"register tile", R"(
// Eight accumulators stay in registers over the whole loop.
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  const std::int64_t first = at.x / 8 * 8;
  __m256 sums[8];
  for (int r = 0; r < 8; ++r) sums[r] = _mm256_setzero_ps();
  for (int i = 0; i + 8 <= COLS; i += 8) {
    const __m256 weights = _mm256_loadu_ps(w + i);
    for (int r = 0; r < 8; ++r) {
      const __m256 value = _mm256_loadu_ps(x + (first + r) * COLS + i);
      sums[r] = _mm256_fmadd_ps(value, weights, sums[r]);
      sums[r] = _mm256_fmadd_ps(value, value, sums[r]);
    }
  }
  for (int r = 0; r < 8; ++r) _mm256_storeu_ps(y + (first + r) * COLS, sums[r]);
}
)"},
      {"sse", R"(
extern "C" void k(const float* __restrict x, const float* __restrict w, float* __restrict y,
                  Block at) {
  for (int i = 0; i + 4 <= COLS; i += 4) {
    _mm_storeu_ps(y + at.x * COLS + i, _mm_add_ps(_mm_loadu_ps(x + at.x * COLS + i),
                                                  _mm_loadu_ps(w + i)));
  }
}
)"},
      {"library calls", R"(
extern "C" void k(const float* x, const float* w, float* y, Block at) {
  for (int i = 0; i < COLS; ++i) y[at.x * COLS + i] = std::exp(x[at.x * COLS + i]) * w[i];
}
)"},
      {"sum", R"(
extern "C" void k(const float* x, const float* w, float* y, Block at) {
  float sum = 0;
  for (int i = 0; i < COLS; ++i) sum += std::fabs(x[at.x * COLS + i]);
  for (int i = 0; i < COLS; ++i) y[at.x * COLS + i] = x[at.x * COLS + i] / sum * w[i];
}
)"},
      {"histogram", R"(
extern "C" void k(const float* x, const float* w, float* y, Block at) {
  int counts[256] = {};
  for (int i = 0; i < COLS; ++i) ++counts[static_cast<unsigned char>(x[at.x * COLS + i])];
  for (int i = 0; i < 256; ++i) y[at.x * COLS + i] = static_cast<float>(counts[i]) * w[i];
}
)"},
  };
  return kernels;
}

}  // namespace kernatlas::testing
