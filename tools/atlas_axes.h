// Axes typed on the command line: --axis NAME, or --axis NAME[UNIT]=HOW with HOW one of
// linear:LOW:HIGH:BINS, log2:LOW:HIGH:BINS, edges:A,B,C, quantile:BINS, labels:A,B,C.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archives/axis.h"
#include "kernel/result.h"

namespace kernatlas {

inline constexpr const char* kAxisHelp =
    "NAME (as before), or NAME[UNIT]=linear:LOW:HIGH:BINS, log2:LOW:HIGH:BINS, edges:A,B,C, "
    "quantile:BINS or labels:A,B,C";

// Measured values of a feature, for quantiles.
using Samples = std::function<std::vector<double>(const std::string& name)>;

// `known` are the axes that a bare NAME may mean; `samples` may be null: no quantiles then.
[[nodiscard]] Result<std::vector<archives::Axis>> parse_axes(
    const std::vector<std::string>& texts, const std::vector<archives::Axis>& known,
    const Samples& samples);

}  // namespace kernatlas
