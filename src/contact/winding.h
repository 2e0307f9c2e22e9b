// How often a surface winds around a point, which tells inside from outside even where parts overlap or touch.
#pragma once

#include <vector>

#include "contact/closed_surface.h"
#include "geometry/bvh.h"

namespace yawara::contact {

/// Generalised winding number (Jacobson et al. 2013): about 1 inside, 0 outside; far parts of the surface count as one
/// dipole each (Barill et al. 2018).
class Winding {
public:
    Winding() = default;
    explicit Winding(const ClosedSurface& surface);
    /// The vertices have moved; `boxes`: of the triangles.
    void follow(const ClosedSurface& surface, std::span<const Box3> boxes);

    double at(const ClosedSurface& surface, Vec3d p) const;
    /// Inside by more than half a turn, in either direction.
    bool is_solid(const ClosedSurface& surface, Vec3d p) const { return std::abs(at(surface, p)) > 0.5; }

private:
    /// The triangles of a tree node seen from afar.
    struct Dipole {
        Vec3d middle, area;
        double far2 = 0;  ///< squared distance from which on it is good enough
        double size = 0;  ///< sum of the areas, m^2
    };
    void sum_dipoles(const ClosedSurface& surface);

    Bvh tree_;
    std::vector<Dipole> dipoles_;
};

/// One box per triangle.
std::vector<Box3> triangle_boxes(const ClosedSurface& surface);
void fit_boxes(const ClosedSurface& surface, std::span<Box3> boxes);

}  // namespace yawara::contact
