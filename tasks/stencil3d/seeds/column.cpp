/*kernatlas
[tune]
TX = [16, 32, 64, 128]      # columns of a tile
TY = [1, 2, 4, 8]           # rows of a tile
[[launch]]
kernel = "stencil"
grid   = ["ceil_div(NX, TX)", "ceil_div(NY, TY)"]
args   = ["u", "v"]
*/
// A tile of the plane marches through z: the planes below and at the centre stay in local arrays, so
// that each value of u is loaded from memory about once.

extern "C" void stencil(const float* __restrict u, float* __restrict v, Block at) {
  constexpr long kPlane = static_cast<long>(NX) * NY;
  const long x0 = at.x * TX;
  const long y0 = at.y * TY;
  const long width = std::min<long>(TX, NX - x0);
  const long height = std::min<long>(TY, NY - y0);
  float below[TY][TX];
  float centre[TY][TX];
  for (long y = 0; y < height; ++y) {
    const float* __restrict row = u + (y0 + y) * NX + x0;
    for (long x = 0; x < width; ++x) v[(y0 + y) * NX + x0 + x] = centre[y][x] = row[x];
  }
  for (long z = 1; z < NZ; ++z) {
    // The shift: what was the centre is now the plane below.
    for (long y = 0; y < height; ++y) {
      const float* __restrict row = u + z * kPlane + (y0 + y) * NX + x0;
      for (long x = 0; x < width; ++x) {
        below[y][x] = centre[y][x];
        centre[y][x] = row[x];
      }
    }
    for (long y = 0; y < height; ++y) {
      const long row = y0 + y;
      float* __restrict out = v + z * kPlane + row * NX + x0;
      if (z == NZ - 1 || row == 0 || row == NY - 1) {
        for (long x = 0; x < width; ++x) out[x] = centre[y][x];
        continue;
      }
      const float* __restrict c = u + z * kPlane + row * NX + x0;
      const long first = x0 == 0 ? 1 : 0;
      const long last = x0 + width == NX ? width - 1 : width;
      if (first == 1) out[0] = centre[y][0];
      if (last == width - 1) out[last] = centre[y][last];
      for (long x = first; x < last; ++x) {
        out[x] = 0.4f * centre[y][x] + 0.1f * (c[x - 1] + c[x + 1] + c[x - NX] + c[x + NX] +
                                               below[y][x] + c[x + kPlane]);
      }
    }
  }
}
