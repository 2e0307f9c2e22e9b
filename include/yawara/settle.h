// The bodies of a scene at rest: the static equilibrium under the loads of the present time.
#pragma once

#include <vector>

#include "yawara/scene.h"

namespace yawara {

/// How one body came to rest.
struct SettledBody {
    bool solved = false;  ///< by a static solve; else by motion until quiet
    int rounds = 0;       ///< of the solver, or frames of motion
    /// Unbalanced force over the largest nodal force, or the displacement in the last quiet frames over the size.
    double residual = 0;
};

/// Finds the equilibrium under gravity, the medium and the scripts of the present time. Bodies that touch nothing and
/// whose kind has a static solution are solved; else everything moves, slowed, until it is quiet. The clock stands
/// still.
Result<std::vector<SettledBody>> settle(Scene& scene, const Progress& progress = {});

}  // namespace yawara
