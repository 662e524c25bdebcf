// Progress of a search, for people (one live line on a terminal, plain lines elsewhere) or machines
// (one JSON object a line).
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "engine/search/search.h"

namespace kernatlas {

enum class ProgressStyle { live, lines, json };

// "132/200  4.1/s  compile_error 3  wrong_result 1  cells 17/96  best 3.42x [3.39, 3.45]  ETA
// 0:16".
[[nodiscard]] std::string progress_text(const SearchStatus& status, const Budget& budget);
// The same facts as one JSON object.
[[nodiscard]] std::string progress_json(const SearchStatus& status);
// "0:16", "12:05", "3:07:00"; "?" for NaN or infinity.
[[nodiscard]] std::string duration_text(double seconds);

// Prints at most twice a second on a terminal, every ten seconds elsewhere, and at each new best.
[[nodiscard]] std::unique_ptr<SearchObserver> make_progress(ProgressStyle style, Budget budget);

}  // namespace kernatlas
