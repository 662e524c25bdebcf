// Axes of a run's archive: made from the task's or the backend's requests, stored with the run, and
// used to turn a candidate's features into an archive's measures.
#pragma once

#include <string>
#include <vector>

#include "archives/axis.h"
#include "kernel/candidate.h"
#include "kernel/features.h"
#include "kernel/result.h"
#include "kernel/task.h"

namespace kernatlas {

[[nodiscard]] Result<std::vector<archives::Axis>> make_axes(
    const std::vector<AxisRequest>& requests);

[[nodiscard]] std::string axes_to_json(const std::vector<archives::Axis>& axes);
[[nodiscard]] Result<std::vector<archives::Axis>> axes_from_json(const std::string& json);

// One measure per axis. Axes named "tune.NAME" read the assignment, others the features. An axis
// whose feature the backend does not report is an error that names it: never a default bin.
[[nodiscard]] Result<std::vector<double>> measures_of(const std::vector<archives::Axis>& axes,
                                                      const Features& features,
                                                      const Candidate& candidate);

}  // namespace kernatlas
