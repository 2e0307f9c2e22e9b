// Bodies as contact sees them, made and moved by hand, and distances by brute force.
#pragma once

#include <algorithm>
#include <random>
#include <vector>

#include "contact/near_pairs.h"
#include "geometry/closest_point.h"
#include "yawara/mesh.h"

namespace yawara::test {

/// A body and the step it makes: positions and velocities at the start and at the end.
struct SteppedBody {
    contact::BodySurface surface;
    std::vector<Vec3> before, positions, velocities_before, velocities;
    std::vector<float> inverse_masses;
    ContactSettings settings;
    bool asleep = false;

    explicit SteppedBody(const std::variant<TetMesh, Lattice>& domain, const Placement& placement = {})
    {
        std::vector<Vec3d> rest;
        if (const auto* mesh = std::get_if<TetMesh>(&domain)) rest = mesh->vertices;
        if (const auto* lattice = std::get_if<Lattice>(&domain))
            for (std::size_t i = 0; i < lattice->nodes.size(); ++i) rest.push_back(lattice->position(int(i)));
        surface = contact::make_body_surface(domain, rest);
        for (const Vec3d& q : rest) before.push_back(placement(q).as<float>());
        positions = before;
        velocities = velocities_before = std::vector<Vec3>(rest.size());
        inverse_masses.assign(rest.size(), 1.0f);
    }

    /// The last step is over; in the next all particles go where `where(position, particle)` says.
    template <class Where>
    void go(double dt, const Where& where)
    {
        before = positions;
        velocities_before = velocities;
        for (std::size_t i = 0; i < positions.size(); ++i) {
            positions[i] = where(before[i], i);
            velocities[i] = (positions[i] - before[i]) / float(dt);
        }
    }

    contact::ContactBody view()
    {
        return {.surface = &surface,
                .positions = positions,
                .velocities = velocities,
                .positions_before = before,
                .velocities_before = velocities_before,
                .inverse_masses = inverse_masses,
                .settings = settings,
                .motion = asleep ? contact::SurfaceMotion{} : contact::motion_of(surface, before, positions),
                .references = before,
                .moved = 0,
                .asleep = asleep,
                .pressed = false};
    }
};

/// Nearly a ball: of a whole one the tets at the corners of the cube would be flat.
inline TetMesh ball_of_tets(double radius, int cells)
{
    TetMesh mesh = make_bar({2, 2, 2}, {cells, cells, cells}, {-1, -1, -1});
    for (Vec3d& p : mesh.vertices) {
        const double largest = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        if (largest > 0) p = p * (radius * (0.4 + 0.6 * largest / length(p)));
    }
    return mesh;
}

struct NearestPoint {
    double distance = 1e300;
    Vec3d point;
    std::int32_t triangle = -1;
    bool inside = false;
};

/// The nearest point of a closed surface; on which side of it a point is tells its solid angle.
inline NearestPoint nearest_on(const contact::BodySurface& surface, std::span<const Vec3> x, Vec3d p)
{
    NearestPoint best;
    double angle = 0;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        Vec3d v[3];
        for (std::size_t k = 0; k < 3; ++k) v[k] = x[std::size_t(surface.triangles[t][k])].as<double>();
        const Vec3d on = closest_on_triangle(v[0], v[1], v[2], p).point;
        if (const double distance = length(on - p); distance < best.distance)
            best = {distance, on, std::int32_t(t), false};
        for (Vec3d& corner : v) corner = corner - p;
        const double a = length(v[0]), b = length(v[1]), c = length(v[2]);
        angle += 2 * std::atan2(dot(v[0], cross(v[1], v[2])),
                                a * b * c + dot(v[0], v[1]) * c + dot(v[1], v[2]) * a + dot(v[2], v[0]) * b);
    }
    best.inside = angle > 2 * 3.14159265358979;
    return best;
}

}  // namespace yawara::test
