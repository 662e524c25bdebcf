extern "C" void reference(const double* u, double* v) {
  for (long z = 0; z < NZ; ++z) {
    for (long y = 0; y < NY; ++y) {
      for (long x = 0; x < NX; ++x) {
        const long i = (z * NY + y) * NX + x;
        const bool border = x == 0 || y == 0 || z == 0 || x == NX - 1 || y == NY - 1 || z == NZ - 1;
        v[i] = border ? u[i]
                      : 0.4 * u[i] + 0.1 * (u[i - 1] + u[i + 1] + u[i - NX] + u[i + NX] +
                                            u[i - NX * NY] + u[i + NX * NY]);
      }
    }
  }
}
