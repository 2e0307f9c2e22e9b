// Brushes: which vertices of a surface a touch paints ([ProcDef] 5.1).
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "geometry/closest_point.h"
#include "yawara/field.h"

namespace yawara {
namespace {

Vec3d corner(const TriMesh& surface, const Int3& t, std::size_t k)
{
    return surface.vertices[std::size_t(t[k])];
}

Vec3d normal_of(const TriMesh& surface, const Int3& t)
{
    return normalized(
        cross(corner(surface, t, 1) - corner(surface, t, 0), corner(surface, t, 2) - corner(surface, t, 0)));
}

/// Triangles across each of the three edges.
std::vector<std::vector<std::int32_t>> neighbours_of(const TriMesh& surface)
{
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::int32_t>> edges;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [a, b] = std::minmax(surface.triangles[t][k], surface.triangles[t][(k + 1) % 3]);
            edges[{a, b}].push_back(std::int32_t(t));
        }
    std::vector<std::vector<std::int32_t>> neighbours(surface.triangles.size());
    for (const auto& [edge, sharing] : edges)
        for (const std::int32_t a : sharing)
            for (const std::int32_t b : sharing)
                if (a != b) neighbours[std::size_t(a)].push_back(b);
    return neighbours;
}

std::vector<std::int32_t> sorted_once(std::vector<std::int32_t> list)
{
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    return list;
}

double distance_to_path(std::span<const Vec3d> path, Vec3d p)
{
    double least = length(p - path[0]);
    for (std::size_t k = 1; k < path.size(); ++k) {
        const Vec3d d = path[k] - path[k - 1];
        const double square = dot(d, d);
        const double share = square > 0 ? std::clamp(dot(p - path[k - 1], d) / square, 0.0, 1.0) : 0;
        least = std::min(least, length(p - path[k - 1] - d * share));
    }
    return least;
}

bool is_triangle(const TriMesh& surface, std::int32_t triangle)
{
    return triangle >= 0 && std::size_t(triangle) < surface.triangles.size();
}

}  // namespace

std::int32_t nearest_triangle(const TriMesh& surface, Vec3d point)
{
    std::int32_t nearest = -1;
    double least = std::numeric_limits<double>::max();
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const Int3& v = surface.triangles[t];
        const Vec3d c =
            closest_on_triangle(corner(surface, v, 0), corner(surface, v, 1), corner(surface, v, 2), point).point;
        if (const double away = length(point - c); away < least) least = away, nearest = std::int32_t(t);
    }
    return nearest;
}

std::vector<std::int32_t> brush_polygon(const TriMesh& surface, std::int32_t triangle)
{
    if (!is_triangle(surface, triangle)) return {};
    const Int3& t = surface.triangles[std::size_t(triangle)];
    return sorted_once({t[0], t[1], t[2]});
}

std::vector<std::int32_t> brush_flat(const TriMesh& surface, std::int32_t triangle, double degrees)
{
    if (!is_triangle(surface, triangle)) return {};
    const auto neighbours = neighbours_of(surface);
    const double least = std::cos(std::clamp(degrees, 0.0, 180.0) * std::numbers::pi / 180) - 1e-12;
    std::vector<bool> seen(surface.triangles.size(), false);
    std::vector<std::int32_t> open{triangle}, painted;
    seen[std::size_t(triangle)] = true;
    while (!open.empty()) {
        const auto t = std::size_t(open.back());
        open.pop_back();
        for (const std::int32_t v : surface.triangles[t]) painted.push_back(v);
        for (const std::int32_t next : neighbours[t]) {
            const auto n = std::size_t(next);
            if (seen[n] ||
                dot(normal_of(surface, surface.triangles[t]), normal_of(surface, surface.triangles[n])) < least)
                continue;
            seen[n] = true;
            open.push_back(next);
        }
    }
    return sorted_once(std::move(painted));
}

std::vector<std::int32_t> brush_stroke(const TriMesh& surface, std::span<const Vec3d> path, double radius)
{
    if (path.empty() || surface.triangles.empty()) return {};
    std::vector<std::vector<std::int32_t>> linked(surface.vertices.size());
    for (const Int3& t : surface.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            linked[std::size_t(t[k])].push_back(t[(k + 1) % 3]);
            linked[std::size_t(t[(k + 1) % 3])].push_back(t[k]);
        }
    std::vector<std::int32_t> open, painted;
    std::vector<bool> seen(surface.vertices.size(), false);
    const auto reach = [&](std::int32_t v) {
        if (seen[std::size_t(v)] || distance_to_path(path, surface.vertices[std::size_t(v)]) > radius) return;
        seen[std::size_t(v)] = true;
        open.push_back(v);
        painted.push_back(v);
    };
    for (const Vec3d& p : path)
        for (const std::int32_t v : surface.triangles[std::size_t(nearest_triangle(surface, p))]) reach(v);
    while (!open.empty()) {
        const auto v = std::size_t(open.back());
        open.pop_back();
        for (const std::int32_t next : linked[v]) reach(next);
    }
    return sorted_once(std::move(painted));
}

}  // namespace yawara
