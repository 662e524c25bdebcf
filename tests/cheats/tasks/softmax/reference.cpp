extern "C" void reference(const double* x, double* y) {
  for (long row = 0; row < ROWS; ++row) {
    const double* in = x + row * COLS;
    double* out = y + row * COLS;
    const double largest = *std::max_element(in, in + COLS);
    double sum = 0;
    for (long i = 0; i < COLS; ++i) sum += out[i] = std::exp(in[i] - largest);
    for (long i = 0; i < COLS; ++i) out[i] /= sum;
  }
}
