extern "C" void reference(const std::int64_t* x, std::int64_t* counts) {
  for (long b = 0; b < 256; ++b) counts[b] = 0;
  for (long i = 0; i < N; ++i) ++counts[x[i]];
}
