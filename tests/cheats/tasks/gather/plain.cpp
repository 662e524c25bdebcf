/*kernatlas
[[launch]]
kernel = "gather"
args   = ["index", "table", "y"]
*/
extern "C" void gather(const std::int32_t* index, const float* table, float* y, Block) {
  for (long i = 0; i < N; ++i) y[i] = table[index[i]];
}
