/*kernatlas
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "sum"]
*/
// Eight partial sums: another order of the same additions.
extern "C" void rowsum(const float* x, float* sum, Block at) {
  float lane[8] = {};
  long i = 0;
  for (; i + 8 <= COLS; i += 8) {
    for (int k = 0; k < 8; ++k) lane[k] += x[at.x * COLS + i + k];
  }
  float total = 0;
  for (int k = 0; k < 8; ++k) total += lane[k];
  for (; i < COLS; ++i) total += x[at.x * COLS + i];
  sum[at.x] = total;
}
