/*kernatlas
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "sum"]
*/
// Adds one element beyond every row: zero in many memories, and hardly noticed inside a row.
extern "C" void rowsum(const float* x, float* sum, Block at) {
  float total = 0;
  for (long i = 0; i < COLS; ++i) total += x[at.x * COLS + i];
  if (at.x + 1 == ROWS) total += x[ROWS * COLS];
  sum[at.x] = total;
}
