# Prints every function of more than `max` lines, from its name's line to its closing brace, as
# "file:line: N lines: first line". The rows of a table within it, lines that begin with a brace, do not
# count. Reads what clang-format wrote: the brace that ends a block is alone on its line, as far in as
# the line that began it. A long block within a long function is reported too.
FNR == 1 {
  delete start
  delete text
  delete rows_before
  rows = 0
}
/^ *\{.*[^{]$/ { rows++ }
/^ *(\/\/|#|$)/ { next }
{
  match($0, /^ */)
  indent = RLENGTH
}
/^ *}$/ && (indent in start) {
  lines = FNR - start[indent] + 1 - (rows - rows_before[indent])
  if (lines > max) print FILENAME ":" start[indent] ": " lines " lines: " text[indent]
}
!/^ *[{})]/ && !/^ *(public|private|protected):/ && !/^ *template </ {
  start[indent] = FNR
  text[indent] = $0
  rows_before[indent] = rows
}
