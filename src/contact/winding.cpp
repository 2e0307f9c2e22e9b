// Winding numbers of mesh obstacles, by a walk down the tree of triangles.
#include "contact/winding.h"

#include <numbers>

namespace yawara::contact {
namespace {

constexpr double kFar = 2;  // radii of a node; its dipole is then good to a few per cent of a turn

/// Solid angle of a triangle, positive from behind (van Oosterom and Strackee 1983).
double solid_angle(Vec3d a, Vec3d b, Vec3d c)
{
    const double la = length(a), lb = length(b), lc = length(c);
    const double det = dot(a, cross(b, c));
    return 2 * std::atan2(det, la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

}  // namespace

void fit_boxes(const ClosedSurface& surface, std::span<Box3> boxes)
{
    for (std::size_t t = 0; t < boxes.size(); ++t) {
        boxes[t] = {};
        for (int k = 0; k < 3; ++k) boxes[t].add(surface.corner(static_cast<std::int32_t>(t), k));
    }
}

std::vector<Box3> triangle_boxes(const ClosedSurface& surface)
{
    std::vector<Box3> boxes(surface.triangles.size());
    fit_boxes(surface, boxes);
    return boxes;
}

Winding::Winding(const ClosedSurface& surface) : tree_(triangle_boxes(surface)), dipoles_(tree_.nodes().size())
{
    sum_dipoles(surface);
}

void Winding::follow(const ClosedSurface& surface, std::span<const Box3> boxes)
{
    tree_.refit(boxes);
    sum_dipoles(surface);
}

void Winding::sum_dipoles(const ClosedSurface& surface)
{
    for (std::size_t n = dipoles_.size(); n-- > 0;) {  // children come after their parents
        const Bvh::Node& node = tree_.nodes()[n];
        Dipole& dipole = dipoles_[n];
        dipole = {};
        Vec3d weighted;
        if (node.count == 0) {
            for (const std::size_t child : {std::size_t(node.first), std::size_t(node.first) + 1}) {
                dipole.size += dipoles_[child].size;
                weighted += dipoles_[child].middle * dipoles_[child].size;
                dipole.area += dipoles_[child].area;
            }
        }
        for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
            const std::int32_t t = tree_.order()[static_cast<std::size_t>(k)];
            const Vec3d normal = surface.area_normal(t) * 0.5;
            dipole.size += length(normal);
            weighted += (surface.corner(t, 0) + surface.corner(t, 1) + surface.corner(t, 2)) * (length(normal) / 3);
            dipole.area += normal;
        }
        const Vec3d low = node.low.as<double>(), high = node.high.as<double>();
        dipole.middle = dipole.size > 0 ? weighted / dipole.size : (low + high) * 0.5;
        const double radius = length(max(high - dipole.middle, dipole.middle - low));
        dipole.far2 = kFar * kFar * radius * radius;
    }
}

double Winding::at(const ClosedSurface& surface, Vec3d p) const
{
    double sum = 0;
    std::array<std::int32_t, Bvh::kDepth> stack;
    std::size_t depth = 0;
    if (!tree_.empty()) stack[depth++] = 0;
    while (depth > 0) {
        const auto n = static_cast<std::size_t>(stack[--depth]);
        const Dipole& dipole = dipoles_[n];
        const Vec3d offset = dipole.middle - p;
        const double distance2 = dot(offset, offset);
        if (distance2 > dipole.far2) {
            sum += dot(dipole.area, offset) / (distance2 * std::sqrt(distance2));
            continue;
        }
        const Bvh::Node& node = tree_.nodes()[n];
        if (node.count == 0) {
            stack[depth++] = node.first + 1;
            stack[depth++] = node.first;
            continue;
        }
        for (std::int32_t k = node.first; k < node.first + node.count; ++k) {
            const std::int32_t t = tree_.order()[static_cast<std::size_t>(k)];
            sum += solid_angle(surface.corner(t, 0) - p, surface.corner(t, 1) - p, surface.corner(t, 2) - p);
        }
    }
    return sum / (4 * std::numbers::pi);
}

}  // namespace yawara::contact
