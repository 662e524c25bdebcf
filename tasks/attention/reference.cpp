extern "C" void reference(const double* q, const double* k, const double* v, double* o) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(D));
  for (long i = 0; i < S; ++i) {
    double score[S];
    double largest = -INFINITY;
    for (long j = 0; j < S; ++j) {
      double dot = 0;
      for (long d = 0; d < D; ++d) dot += q[i * D + d] * k[j * D + d];
      score[j] = dot * scale;
      largest = std::max(largest, score[j]);
    }
    double sum = 0;
    for (long j = 0; j < S; ++j) sum += score[j] = std::exp(score[j] - largest);
    for (long d = 0; d < D; ++d) o[i * D + d] = 0;
    for (long j = 0; j < S; ++j) {
      for (long d = 0; d < D; ++d) o[i * D + d] += score[j] / sum * v[j * D + d];
    }
  }
}
