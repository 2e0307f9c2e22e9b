// How level sets are made inside the library: from a checked surface, and with word of what had to be decided.
#pragma once

#include <optional>

#include "meshing/surface.h"
#include "meshing/triangle_tree.h"
#include "yawara/solid.h"

namespace yawara {

/// What had to be decided to make a level set.
struct LevelSetNotes {
    bool overlapping = false;  ///< the surface runs through itself; what is enclosed twice counts once
    bool flooded = false;      ///< front sides contradicted each other, sealed spaces were filled
    double capped = 0;         ///< share of the solid's surface with no triangle near it: caps over holes
};

class LevelSetBuilder {
public:
    /// `tree` holds the triangles of `surface`.
    static Result<LevelSet> from_surface(const Surface& surface, const meshing::TriangleTree& tree, double voxel,
                                         LevelSetNotes* notes, const Progress& progress);
    static Result<LevelSet> from_function(const std::function<double(Vec3d)>& inside, const Box3& box, double voxel);
    /// Balls along the middle of every feature that a lattice with this cell would lose; none if there are no such
    /// features, or if the volume is too large to look.
    static std::optional<LevelSet> thickening(const LevelSet& level_set, double cell);

private:
    static Result<LevelSet> finish(std::shared_ptr<LevelSet::Data> data);
};

}  // namespace yawara
