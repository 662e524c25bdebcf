extern "C" void reference(const std::int64_t* index, const double* table, double* y) {
  for (long i = 0; i < N; ++i) y[i] = table[index[i]];
}
