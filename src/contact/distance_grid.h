// Signed distances on a regular grid: tells in a few nanoseconds that a point is clear of a mesh obstacle.
#pragma once

#include <functional>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::contact {

class DistanceGrid {
public:
    /// Share by which distances at the nodes may be too large; far from the surface that saves much.
    static constexpr double kTolerance = 0.05;

    /// Distance to the surface and its nearest triangle; the triangle nearest to a point close by is given (or -1).
    struct Nearest {
        double distance;
        std::int32_t triangle;
    };
    using Distance = std::function<Nearest(Vec3d p, std::int32_t hint)>;
    using IsSolid = std::function<bool(Vec3d p)>;

    DistanceGrid() = default;
    /// Covers the box of the surface and kMargin cells around it; both functions are called from several threads.
    DistanceGrid(const Box3& box, const Distance& distance, const IsSolid& is_solid);

    double cell() const { return cell_; }
    /// Vector from the grid to p; zero if the grid covers p.
    Vec3d outside(Vec3d p) const;

    struct Value {
        double distance;  ///< good to one cell: distances at two points differ by at most the distance of the points
        Vec3d gradient;   ///< not of unit length
        std::int32_t triangle;  ///< nearest to the node that is nearest to p
    };
    /// Trilinear between the nodes; p must be covered.
    Value at(Vec3d p) const;
    /// No more than the distance where at() finds this one: it is off by half a diagonal of a cell and by kTolerance.
    double least(double distance) const { return distance / (1 + kTolerance) - cell_; }

    static constexpr int kMargin = 2;  ///< cells

private:
    void fill_row(int y, int z, const Distance& distance, const IsSolid& is_solid);

    Vec3d low_, high_;
    double cell_ = 1;
    Int3 nodes_{};
    std::vector<float> values_;            ///< x fastest, then y, then z; negative in the mesh
    std::vector<std::int32_t> triangles_;  ///< nearest to every node
};

}  // namespace yawara::contact
