// What cells that are coarser than a shape leave out of it: lattices, formulas and volumes keep no strands.
#pragma once

#include <string>
#include <vector>

#include "yawara/domain.h"

namespace yawara::scene_file {

/// Sentences for a person: how much of the surface lies outside of the solid, how much volume it lacks, and whether it
/// fell apart. None if nothing is lost. `cell`: edge length of the cells or tetrahedra, m.
std::vector<std::string> lost_limbs(const Domain& domain, const TriMesh& surface, double cell);

}  // namespace yawara::scene_file
