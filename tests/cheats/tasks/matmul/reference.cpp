extern "C" void reference(const double* a, const double* b, double* c) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) c[i * N + j] = 0;
    for (long k = 0; k < K; ++k) {
      for (long j = 0; j < N; ++j) c[i * N + j] += a[i * K + k] * b[k * N + j];
    }
  }
}
