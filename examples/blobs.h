// Shapes from ellipsoids that flow into each other, for the programs that make our models.
#pragma once

#include <yawara/io.h>
#include <yawara/solid.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace shapes {

using yawara::Vec3d;

/// Lengths in metres; y is up, the rabbit looks along z.
struct Ellipsoid {
    Vec3d center, radii;
    double lean = 0;   ///< radians about z, for ears
    double blend = 0;  ///< how far it flows into what is there already

    /// Close to the distance near the surface, and exactly zero on it.
    double distance(Vec3d point) const
    {
        const Vec3d q = yawara::rotation(Vec3d{0, 0, 1}, lean) * (point - center);
        const Vec3d a{q.x / radii.x, q.y / radii.y, q.z / radii.z};
        const Vec3d b{a.x / radii.x, a.y / radii.y, a.z / radii.z};
        const double steepness = length(b);
        return steepness > 0 ? length(a) * (length(a) - 1) / steepness : -std::min({radii.x, radii.y, radii.z});
    }
};

inline double smooth_union(double a, double b, double blend)
{
    const double h = std::max(blend - std::abs(a - b), 0.0);
    return std::min(a, b) - (blend > 0 ? h * h / (4 * blend) : 0.0);
}

/// All parts, one after the other.
inline double blend_all(const std::vector<Ellipsoid>& parts, Vec3d point)
{
    double distance = 1;
    for (const Ellipsoid& part : parts) distance = smooth_union(distance, part.distance(point), part.blend);
    return distance;
}

enum class Stands { on_ground, about_origin };  ///< moved so that it stands on y = 0, or left where it is

/// The surface of a signed distance, to 0.01 mm, which keeps the file small. The exit code.
inline int save_surface(const std::function<double(Vec3d)>& distance, const yawara::Box3& box, double voxel,
                        const char* file, Stands stands = Stands::on_ground)
{
    const auto level_set = yawara::LevelSet::from_function(distance, box, voxel);
    if (!level_set) {
        std::fprintf(stderr, "%s\n", level_set.error().message().c_str());
        return 1;
    }
    yawara::TriMesh surface = level_set->surface();
    const double ground = stands == Stands::on_ground ? level_set->bounds().low.y : 0;
    const auto rounded = [](double x) { return std::round(x * 1e5) / 1e5; };
    for (Vec3d& v : surface.vertices) v = {rounded(v.x), rounded(v.y - ground), rounded(v.z)};
    if (const auto saved = yawara::save_tri_mesh(file, surface); !saved) {
        std::fprintf(stderr, "%s\n", saved.error().message().c_str());
        return 1;
    }
    std::printf("%s: %zu vertices, %zu triangles, %.1f litres, %.2f m tall\n", file, surface.vertices.size(),
                surface.triangles.size(), 1000 * level_set->volume(), level_set->bounds().size().y);
    return 0;
}

}  // namespace shapes
