/*kernatlas
[workspace]
partial = { bytes = "4 * ROWS", zeroed = true }
[[launch]]
kernel = "rowsum"
grid   = ["ROWS"]
args   = ["x", "partial", "sum"]
*/
// Asks for a workspace of zeros.
extern "C" void rowsum(const float* x, float* partial, float* sum, Block at) {
  for (long i = 0; i < COLS; ++i) partial[at.x] += x[at.x * COLS + i];
  sum[at.x] = partial[at.x];
}
