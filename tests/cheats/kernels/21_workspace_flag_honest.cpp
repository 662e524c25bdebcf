/*kernatlas
[workspace]
partial = "16 * ROWS"
arrived = { bytes = "4 * ROWS", zeroed = true }
[[launch]]
kernel = "rowsum"
grid   = ["ROWS", "4"]
args   = ["x", "partial", "arrived", "sum"]
*/
// Counters in a zeroed workspace: the last grid point adds up.
extern "C" void rowsum(const float* x, float* partial, std::int32_t* arrived, float* sum, Block at) {
  const long first = at.y * (COLS / 4);
  const long last = at.y == 3 ? COLS : first + COLS / 4;
  float total = 0;
  for (long i = first; i < last; ++i) total += x[at.x * COLS + i];
  partial[at.x * 4 + at.y] = total;
  if (__atomic_fetch_add(&arrived[at.x], 1, __ATOMIC_ACQ_REL) != 3) return;
  const float* part = partial + at.x * 4;
  sum[at.x] = part[0] + part[1] + part[2] + part[3];
}
