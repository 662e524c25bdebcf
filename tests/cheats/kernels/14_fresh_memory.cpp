/*kernatlas
[workspace]
partial = "4 * ROWS"
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "partial", "sum"]
*/
// Takes for granted that a workspace begins with zeros.
extern "C" void rowsum(const float* x, float* partial, float* sum, Block at) {
  for (long i = 0; i < COLS; ++i) partial[at.x] += x[at.x * COLS + i];
  sum[at.x] = partial[at.x];
}
