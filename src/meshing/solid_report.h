// How well a tet mesh fits the surface it was made from, in figures and in sentences. Called at the end of make_solid.
#pragma once

#include "meshing/level_set_build.h"

namespace yawara::meshing {

/// Volumes of the solid parts of a level set, walls of hollows left out; specks below `smallest` are not counted.
std::vector<double> solid_part_volumes(const LevelSet& level_set, double smallest);

/// Removes the smallest parts of a tet mesh, each below a share of it, until `wanted` are left: bits of features too
/// thin for the lattice that came off. Returns how many were removed.
int drop_crumbs(TetMesh& mesh, std::size_t wanted, double largest_share = 0.01);

struct SolidSources {
    const Surface& surface;
    const TriangleTree& tree;  ///< of the surface
    const LevelSet& level_set;
    LevelSetNotes notes;
    double cell, target_volume;
    std::size_t wanted_parts;
    int crumbs;
    bool thickened;        ///< thin features were given the thickness the lattice needs
    int strands;           ///< parts that the lattice would lose, kept as strands
    double strand_excess;  ///< how far these reach beyond the surface
};
SolidReport make_report(const SolidSources& sources, const TetMesh& mesh);

}  // namespace yawara::meshing
