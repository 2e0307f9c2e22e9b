// Limbs, sheets and tips too thin for the lattice are kept as strands: balls along their middle, which the lattice
// cannot miss, become part of the solid, and what was stuffed is squeezed back towards the surface.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "meshing/surface.h"
#include "meshing/triangle_tree.h"

namespace yawara::meshing {

constexpr double kSampleSpacing = 0.25;  ///< cells between the points at which a surface is looked at

/// Points all over a surface, with the normals of their triangles.
struct SurfaceSamples {
    std::vector<Vec3d> points, normals;
    std::vector<std::int32_t> pieces;  ///< of the surface, connected by shared vertices
};
SurfaceSamples sample_surface(const Surface& surface, double spacing);

/// How far each point lies outside the tets; 0 inside, and for distances below `smallest`.
std::vector<double> distances_outside(std::span<const Vec3d> points, const TetMesh& mesh, double smallest);

/// Outer vertices of parts of the mesh that one piece of the surface reaches although it lies in a larger part too.
std::vector<Vec3d> torn_off(const TetMesh& mesh, const SurfaceSamples& samples, double cell);

/// Removes tets that lie in gaps of the surface, where balls ran into each other.
void clear_gaps(TetMesh& mesh, const TriangleTree& tree, const std::function<bool(Vec3d)>& inside, double cell);

/// Moves outer vertices of the mesh, as far as the tets stay well shaped, to samples that lie more than `allowed`
/// outside.
void reach_out(TetMesh& mesh, const SurfaceSamples& samples, double allowed);

/// Moves outer vertices of the mesh along its normals, by at most `farthest` and as far as the tets stay well shaped,
/// until it has this volume: facets cut across the bends of thin walls, and gaps are filled.
void swell(TetMesh& mesh, double target, double farthest);

class Strands {
public:
    /// For the places where samples are left out by more than kLeftOut cells. `left_out`: how far each sample lies
    /// outside the tets that were made without strands. `tree` holds the triangles of the surface.
    Strands(const SurfaceSamples& samples, std::span<const double> left_out, const TriangleTree& tree, bool watertight,
            double cell);

    static constexpr double kLeftOut = 0.6;  ///< cells

    bool empty() const { return balls_.empty(); }
    /// Strands that do not touch each other.
    int count() const;
    Box3 bounds() const;
    /// Negative within the strands; about a distance near them.
    double operator()(Vec3d point) const;
    /// Makes the balls near these points larger, where the lattice missed them all the same. False if none can be.
    bool grow_near(std::span<const Vec3d> points);

    /// Moves the vertices of the strands to the surface as far as the tets stay well shaped, and returns the largest
    /// distance at which one of them still is outside. `inside`: negative within the solid.
    double squeeze(TetMesh& mesh, const TriangleTree& tree, const std::function<bool(Vec3d)>& inside) const;

private:
    struct Ball {
        Vec3d center;
        double depth;  ///< half the thickness of the surface there
        double radius;
    };
    using Bin = std::array<std::int64_t, 3>;
    struct Hash {
        std::size_t operator()(const Bin& b) const
        {
            return static_cast<std::size_t>(b[0] * 73856093 ^ b[1] * 19349663 ^ b[2] * 83492791);
        }
    };
    using Bins = std::unordered_map<Bin, std::vector<std::int32_t>, Hash>;

    Bin bin_of(Vec3d point) const;
    void add(const Ball& ball);
    /// Balls whose centres are within a cell of the point, and some more.
    std::span<const std::int32_t> near(Vec3d point) const;
    const Ball* nearest(Vec3d point) const;

    double cell_;
    std::vector<Ball> balls_;
    Bins bins_;  ///< a cell wide; each lists the balls in itself and in its neighbours
};

}  // namespace yawara::meshing
