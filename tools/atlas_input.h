// What the commands on archives share: a run directory or an atlas file as an Atlas, and saving
// one.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "archives/atlas.h"
#include "engine/store/run_database.h"
#include "kernel/result.h"

namespace kernatlas {

[[nodiscard]] Error to_error(const archives::AtlasError& error);

// A run directory's archive, rebuilt from its database; or an atlas file.
[[nodiscard]] Result<archives::Atlas> open_atlas(const std::filesystem::path& run_or_file);
[[nodiscard]] bool is_run(const std::filesystem::path& path);

// The archive of a run with what each elite is made of (docs/formats/atlas.md).
[[nodiscard]] Result<archives::Atlas> atlas_of_run(const RunReader& reader);
// The same without elites: subject, contract, context and provenance.
[[nodiscard]] archives::Atlas atlas_frame(const RunReader& reader);
// Adds what each elite of the atlas is made of. Parents are named by their candidates' ids, which
// mean the same everywhere.
[[nodiscard]] Result<void> add_records(const RunReader& reader, archives::Atlas& atlas);

// Never over an existing file unless `force`.
[[nodiscard]] Result<void> check_free(const std::filesystem::path& file, bool force);
[[nodiscard]] Result<void> save(const std::filesystem::path& file, const archives::Atlas& atlas,
                                bool force);

// "84 elites in 40 of 64 cells, QD score 123.4, best 3.42x, 5 proposals".
[[nodiscard]] std::string atlas_text(const archives::Atlas& atlas);
// The same as fields.
[[nodiscard]] nlohmann::ordered_json atlas_json(const archives::Atlas& atlas);

}  // namespace kernatlas
