// Unified difference of two texts, by libgit2.
#pragma once

#include <string>
#include <string_view>

namespace kernatlas {

// Empty when equal. `context`: unchanged lines around each change.
[[nodiscard]] std::string text_diff(std::string_view before, std::string_view after,
                                    std::string_view before_name, std::string_view after_name,
                                    unsigned context = 3);

}  // namespace kernatlas
