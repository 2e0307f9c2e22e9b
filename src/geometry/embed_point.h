// Embeds one point in the particles of a body: inside by the weights of its cell, outside by a smooth continuation.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "geometry/bvh.h"
#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara {

/// Particles of a point with their weights; a particle may come twice.
using Weights = std::vector<std::pair<std::int32_t, double>>;

/// A tet or lattice cell as seen from the point to be embedded.
template <std::size_t N>
struct EmbeddingCell {
    std::array<std::int32_t, N> particles;
    std::array<double, N> weights;   ///< of the cell's point closest to the embedded one; not negative
    std::array<Vec3d, N> gradients;  ///< of the weights, mean over the cell
    double volume;
    Vec3d closest;
};

class TetEmbedder {
public:
    static constexpr std::size_t kCorners = 4;
    explicit TetEmbedder(const TetMesh& solid);

    std::span<const Int4> cells() const { return solid_.tets; }
    std::size_t particle_count() const { return solid_.vertices.size(); }
    Vec3d position(std::int32_t particle) const { return solid_.vertices[static_cast<std::size_t>(particle)]; }
    /// The tet nearest to p, -1 if there is none (or p is not finite).
    std::int32_t nearest(Vec3d p) const;
    EmbeddingCell<4> cell(std::int32_t tet, Vec3d p) const;

private:
    const TetMesh& solid_;
    Bvh tree_;
};

class LatticeEmbedder {
public:
    static constexpr std::size_t kCorners = 8;
    explicit LatticeEmbedder(const Lattice& solid);

    std::span<const Int8> cells() const { return solid_.cells; }
    std::size_t particle_count() const { return solid_.nodes.size(); }
    Vec3d position(std::int32_t particle) const { return solid_.position(particle); }
    std::int32_t nearest(Vec3d p) const;
    EmbeddingCell<8> cell(std::int32_t cell, Vec3d p) const;

private:
    const Lattice& solid_;
    Bvh tree_;
};

/// Embeds points in a body. Let q be the point of the body closest to p. q moves with its cell; the offset p - q is
/// turned and stretched by the gradient of the motion. Close to the body that is the gradient of the cell. Farther away
/// it is a mean over the cells around each corner, mixed by the weights of q, so that it is continuous along the
/// surface: the gradient of a single thin tet would throw far points about. Affine motion is followed exactly in either
/// case.
template <class Solid>
class PointEmbedder {
public:
    template <class Body>
    explicit PointEmbedder(const Body& body);

    /// Fills `out` with the weights of p, none if the body has no cells; returns the distance of p from the body.
    /// `closest`: weights of q, if p is farther from it than a quarter of the spacing there.
    double embed_point(Vec3d p, Weights& out, Weights& closest) const;

private:
    std::span<const std::int32_t> cells_around(std::int32_t particle) const;
    void add_gradient_around(std::int32_t particle, double share, Vec3d offset, Weights& out) const;

    Solid solid_;
    std::vector<std::int32_t> first_around_, around_;  ///< cells around particle i: around_[first_around_[i]] ...
    std::vector<double> spacing_;                      ///< mean edge length at every particle, m
};

}  // namespace yawara
