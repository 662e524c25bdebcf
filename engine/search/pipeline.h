// Runs the steps of a search loop as a oneTBB pipeline.
#pragma once

#include "engine/search/search_loop.h"

namespace kernatlas {

// Returns when the loop gives no more jobs and those it gave have gone through. Steps block on
// devices, so there are as many threads as jobs in flight and two more, however few cores there
// are.
void run_pipeline(SearchLoop& loop);

}  // namespace kernatlas
