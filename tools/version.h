#pragma once

namespace kernatlas {
inline constexpr const char* kVersion = "0.1.0";
}  // namespace kernatlas
