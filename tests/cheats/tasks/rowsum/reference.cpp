extern "C" void reference(const double* x, double* sum) {
  for (long r = 0; r < ROWS; ++r) {
    sum[r] = 0;
    for (long i = 0; i < COLS; ++i) sum[r] += x[r * COLS + i];
  }
}
