// A box tree over triangles that answers three questions: how far is the surface, does a ray meet it, and how often
// does it wind around a point. Used to tell inside from outside and to measure how well a tet mesh fits.
#pragma once

#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::meshing {

class TriangleTree {
public:
    TriangleTree(std::span<const Vec3d> vertices, std::span<const Int3> triangles);

    /// The point of the surface next to this one; infinitely far away if there are no triangles.
    Vec3d nearest(Vec3d point) const;
    double distance(Vec3d point) const { return length(nearest(point) - point); }

    /// True if start + t * step, 0 < t <= 1, meets a triangle; `step` may be as long as one likes.
    bool meets(Vec3d start, Vec3d step) const;

    /// Generalised winding number: 1 inside a closed outward surface, 0 outside, in between near holes. Far triangles
    /// are lumped to dipoles: Barill et al. 2018, "Fast winding numbers for soups and clouds", order 1, beta = 2.
    double winding(Vec3d point) const;

private:
    struct Triangle {
        Vec3d a, b, c;
    };
    struct Node {
        Vec3d low, high;
        Vec3d center, area_normal;  ///< of the dipole: area-weighted middle, sum of area times normal
        double radius = 0;          ///< of the ball around `center` that holds all triangles
        int first = 0, count = 0;   ///< triangles of a leaf; count 0: children are `first` and `first + 1`
    };
    void split(int node, int first, int count, std::span<Vec3d> centers);

    std::vector<Triangle> triangles_;
    std::vector<Node> nodes_;
};

}  // namespace yawara::meshing
