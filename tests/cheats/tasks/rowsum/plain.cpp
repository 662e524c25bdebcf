/*kernatlas
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "sum"]
*/
extern "C" void rowsum(const float* x, float* sum, Block at) {
  float total = 0;
  for (long i = 0; i < COLS; ++i) total += x[at.x * COLS + i];
  sum[at.x] = total;
}
