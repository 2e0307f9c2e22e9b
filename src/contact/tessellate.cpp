// Triangles of planes, boxes, spheres and capsules, counter-clockwise seen from outside.
#include "yawara/tessellate.h"

#include <numbers>

namespace yawara {
namespace {

constexpr int kAround = 48, kRings = 12;  // around the axis, and from pole to equator

/// Two unit vectors that make a right-handed frame with the unit vector n.
std::array<Vec3d, 2> frame_around(Vec3d n)
{
    const Vec3d axis = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = normalized(cross(axis, n));
    return {u, cross(n, u)};
}

/// A capsule from a to b; a sphere if they are equal.
TriMesh round_mesh(Vec3d a, Vec3d b, double radius)
{
    const Vec3d axis = a == b ? Vec3d{0, 1, 0} : normalized(b - a);
    const auto [u, v] = frame_around(axis);
    TriMesh mesh;
    mesh.vertices.push_back(a - axis * radius);
    const auto add_ring = [&](Vec3d center, double latitude) {
        for (int k = 0; k < kAround; ++k) {
            const double angle = 2 * std::numbers::pi * k / kAround;
            const Vec3d out = u * std::cos(angle) + v * std::sin(angle);
            mesh.vertices.push_back(center + (out * std::cos(latitude) + axis * std::sin(latitude)) * radius);
        }
    };
    for (int ring = 1 - kRings; ring < kRings; ++ring) {
        const double latitude = 0.5 * std::numbers::pi * ring / kRings;
        if (ring <= 0) add_ring(a, latitude);
        if (ring > 0 || (ring == 0 && a != b)) add_ring(b, latitude);  // a capsule has two equators
    }
    mesh.vertices.push_back(b + axis * radius);

    const int rings = (static_cast<int>(mesh.vertices.size()) - 2) / kAround;
    const int top = static_cast<int>(mesh.vertices.size()) - 1;
    for (int k = 0; k < kAround; ++k) {
        const int next = (k + 1) % kAround;
        mesh.triangles.push_back({0, 1 + next, 1 + k});
        for (int ring = 0; ring + 1 < rings; ++ring) {
            const int low = 1 + ring * kAround, high = low + kAround;
            mesh.triangles.push_back({low + k, low + next, high + next});
            mesh.triangles.push_back({low + k, high + next, high + k});
        }
        mesh.triangles.push_back({top, top - kAround + k, top - kAround + next});
    }
    return mesh;
}

TriMesh mesh_of(const Plane& plane, double extent)
{
    const Vec3d n = plane.normal == Vec3d{} ? Vec3d{0, 1, 0} : normalized(plane.normal);
    const auto [u, v] = frame_around(n);
    TriMesh mesh;
    for (const auto& [s, t] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        mesh.vertices.push_back(plane.point + u * (s * extent) + v * (t * extent));
    }
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

TriMesh mesh_of(const Box& box, double)
{
    TriMesh mesh;
    for (int k = 0; k < 8; ++k) {
        const Vec3d& h = box.half_size;
        mesh.vertices.push_back(box.placement({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z}));
    }
    for (const auto& [a, b, c, d] :
         {Int4{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}}) {
        mesh.triangles.push_back({a, b, c});
        mesh.triangles.push_back({a, c, d});
    }
    return mesh;
}

TriMesh mesh_of(const Sphere& sphere, double)
{
    return round_mesh(sphere.center, sphere.center, sphere.radius);
}
TriMesh mesh_of(const Capsule& capsule, double)
{
    return round_mesh(capsule.a, capsule.b, capsule.radius);
}
TriMesh mesh_of(const MeshDistance& mesh, double)
{
    return mesh.mesh();
}

}  // namespace

TriMesh tessellate(const Collider& collider, double plane_extent)
{
    TriMesh mesh = std::visit([&](const auto& shape) { return mesh_of(shape, plane_extent); }, collider.shape);
    if (collider.motion)
        for (Vec3d& vertex : mesh.vertices) vertex = collider.motion->end(vertex);
    return mesh;
}

std::optional<Plane> plane_of(const Collider& collider)
{
    const Plane* plane = std::get_if<Plane>(&collider.shape);
    if (!plane) return {};
    if (!collider.motion) return *plane;
    const Placement& at = collider.motion->end;
    return Plane{at(plane->point), at.turn * plane->normal};
}

}  // namespace yawara
