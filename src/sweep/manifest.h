// sweep.json in the folder of a sweep: which sweep it is, of which files, and by which program.
#pragma once

#include "yawara/sweep.h"

namespace yawara::sweep {

/// Writes the manifest, or checks the one that is there against the sweep, its files as they are now, and this program.
Status open_manifest(const SweepPlan& plan, const std::filesystem::path& folder);

/// The loops that this program uses: "any", "avx2", "avx512". Others give other bits.
std::string_view instruction_set();

}  // namespace yawara::sweep
