extern "C" void reference(const double* x, double* y) {
  for (long i = 0; i < N; ++i) y[i] = 2 * x[i] + 1;
}
