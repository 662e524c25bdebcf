extern "C" void reference(const double* x, double* y) {
  for (long row = 0; row < ROWS; ++row) {
    const double* in = x + row * COLS;
    double* out = y + row * COLS;
    double largest = in[0];
    for (long i = 1; i < COLS; ++i) largest = std::max(largest, in[i]);
    double sum = 0;
    for (long i = 0; i < COLS; ++i) sum += out[i] = std::exp(in[i] - largest);
    for (long i = 0; i < COLS; ++i) out[i] /= sum;
  }
}
