// skip("no GPU here"): says why a test case cannot run on this machine; the case must then return.
#pragma once

namespace kernatlas::testing {
void skip(const char* reason);
}  // namespace kernatlas::testing
