// From any surface to a tet mesh: watertight level set (OpenVDB), then isosurface stuffing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "yawara/lattice.h"
#include "yawara/mesh.h"

namespace yawara {

/// A signed distance volume, negative inside. Hides OpenVDB.
class LevelSet {
public:
    /// Closed or not, clean or not: what the surface encloses, holes closed. `voxel` is the sampling distance.
    static Result<LevelSet> from_mesh(const TriMesh& mesh, double voxel, const Progress& progress = {});
    /// Any function that is negative inside, within the box; need not be a true distance.
    static Result<LevelSet> from_function(const std::function<double(Vec3d)>& inside, const Box3& box, double voxel);

    double operator()(Vec3d point) const;  ///< trilinear; clamped to the narrow band far away
    Box3 bounds() const;                   ///< of the inside
    double voxel() const;
    double volume() const;
    /// The zero surface as triangles.
    TriMesh surface() const;

private:
    struct Data;
    friend class LevelSetBuilder;
    std::shared_ptr<const Data> data_;
};

/// What was found in the surface and what came of it.
struct SolidReport {
    int border_edges = 0, nonmanifold_edges = 0, flipped_edges = 0;
    int duplicate_vertices = 0, unreferenced_vertices = 0, degenerate_triangles = 0;
    int input_parts = 0, output_parts = 0;
    bool closed = false;
    double cell = 0;                   ///< edge length of the lattice used
    double input_volume = 0, volume = 0;
    double surface_error = 0;          ///< largest distance of an outer vertex from the input surface
    double left_out = 0;               ///< largest distance of the input surface from the tets, where it is outside
    int thickened_parts = 0;           ///< limbs, sheets and tips that a lattice with this cell would lose
    double thickened_by = 0;           ///< how far these reach beyond the input surface
    double smallest_dihedral = 0, largest_dihedral = 0;
    std::vector<std::string> warnings; ///< sentences for a person
};

struct SolidOptions {
    double cell = 0;      ///< wanted edge length; 0: chosen from `particles`
    int particles = 2000; ///< wanted count, met within 10 % or so
    Progress progress{};
};

struct Solid {
    TetMesh mesh;
    SolidReport report;
};

/// "I have a mesh, make it soft."
Result<Solid> make_solid(const TriMesh& surface, const SolidOptions& options = {});

/// Isosurface stuffing (Labelle and Shewchuk 2007): tets of good quality that fill the inside of a field.
Result<TetMesh> stuff(const std::function<double(Vec3d)>& distance, const Box3& box, double cell,
                      const Progress& progress = {});

}  // namespace yawara
