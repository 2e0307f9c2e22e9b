// A render surface embedded in the particles of a body: barycentric in tets, trilinear in lattice cells.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara {

/// Every point is a fixed affine combination of a few particles, so any affine motion is followed exactly. A point
/// outside the body moves with the nearest point of the body and a smooth continuation of the deformation around it.
class Embedding {
public:
    Embedding() = default;
    Embedding(const TetMesh& solid, std::span<const Vec3d> points);
    Embedding(const Lattice& solid, std::span<const Vec3d> points);

    std::size_t size() const { return offsets_.empty() ? 0 : offsets_.size() - 1; }
    /// How many points lie outside the body, and how far the farthest.
    int outside_count() const { return outside_count_; }
    double outside_distance() const { return outside_distance_; }

    /// out[k] = sum of weight * particle position. Threaded; the same bits for any number of threads.
    void apply(std::span<const Vec3> particles, std::span<Vec3> out) const;
    void apply(std::span<const Vec3d> particles, std::span<Vec3d> out) const;
    void apply(std::span<const float> values, std::span<float> out) const;

    /// As apply(), for a surface to look at: where the solid is crushed, its continuation would throw points outside it
    /// about, so that they stay within 1.5 times the distance from the solid that they have at rest.
    void draw(std::span<const Vec3> particles, std::span<Vec3> out) const;

    /// Particles and weights of point k.
    std::span<const std::int32_t> particles_of(std::size_t k) const;
    std::span<const float> weights_of(std::size_t k) const;

private:
    struct Lists;
    template <class Solid, class Body>
    void hang_all(const Body& body, std::span<const Vec3d> points, double tolerance);

    std::vector<std::int32_t> offsets_;    ///< points + 1
    std::vector<std::int32_t> particles_;  ///< 1 if the point is a particle, up to 4 or 8 inside, more outside
    std::vector<float> weights_;           ///< sum to 1 per point
    /// A point outside the body, and the point of the body closest to it.
    struct Outside {
        std::int32_t point;
        float distance;  ///< m, at rest
        std::array<std::int32_t, 8> particles;
        std::array<float, 8> weights;  ///< not negative; sum to 1
    };
    std::vector<Outside> outside_;
    int outside_count_ = 0;
    double outside_distance_ = 0;
};

/// Positions of all particles when the surface embedded in them takes another pose: the inside follows as rigidly as it
/// can. `pose` has as many points as `surface`.
std::vector<Vec3d> carry_pose(const TetMesh& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose);
std::vector<Vec3d> carry_pose(const Lattice& solid, std::span<const Vec3d> surface, std::span<const Vec3d> pose);

}  // namespace yawara
