extern "C" void reference(const double* x, double* y) {
  for (long row = 0; row < ROWS; ++row) {
    const double* in = x + row * COLS;
    double mean = 0;
    for (long i = 0; i < COLS; ++i) mean += in[i] / COLS;
    double variance = 0;
    for (long i = 0; i < COLS; ++i) variance += (in[i] - mean) * (in[i] - mean) / COLS;
    const double scale = 1 / std::sqrt(variance + 1e-5);
    for (long i = 0; i < COLS; ++i) y[row * COLS + i] = (in[i] - mean) * scale;
  }
}
