/*kernatlas
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "sum"]
*/
// Whole vectors of 16 only: right for the size that is shown.
extern "C" void rowsum(const float* x, float* sum, Block at) {
  float total = 0;
  for (long i = 0; i + 16 <= COLS; i += 16) {
    for (int k = 0; k < 16; ++k) total += x[at.x * COLS + i + k];
  }
  sum[at.x] = total;
}
