// Rebinning a run, from everything it ever measured, or an atlas file, from what it kept.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "archives/operations/rebin.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"

namespace kernatlas {

// How the new archive is to be. Everything left out stays as it was.
struct RebinRequest {
  std::vector<std::string> axes;  // as tools/atlas_axes.h reads them
  std::string kind;
  std::map<std::string, double> options;
};

// Every measured candidate is judged again; comparisons that the run made are heeded.
[[nodiscard]] Result<archives::Rebinned> rebin_run(const RunReader& reader,
                                                   const RebinRequest& request);
// New axes may be over measures the atlas has, and over what its payloads say: features, and
// tunables as tune.NAME.
[[nodiscard]] Result<archives::Rebinned> rebin_file(const archives::Atlas& atlas,
                                                    const RebinRequest& request);

}  // namespace kernatlas
