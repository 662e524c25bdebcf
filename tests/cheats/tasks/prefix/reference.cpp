extern "C" void reference(const double* x, double* y) {
  double sum = 0;
  for (long i = 0; i < N; ++i) y[i] = sum += x[i];
}
