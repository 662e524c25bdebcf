// A drain: in ordered mode, a ticket that found nothing new to propose waits until everything
// before it is settled. Later proposals then see more than "settlement ticket − window", so a
// resume has to know. Only the last drain matters.
#pragma once

#include <cstdint>
#include <string>

#include "engine/store/run_database.h"
#include "kernel/result.h"

namespace kernatlas {

// Durable, together with every row settled before, when it returns.
[[nodiscard]] Result<void> store_drain(RunDatabase& database, std::uint64_t ticket);
// The last drained ticket, 0 when there is none (draining ticket 0 waits for nothing).
[[nodiscard]] Result<std::uint64_t> load_drain(const RunDatabase& database);

}  // namespace kernatlas
