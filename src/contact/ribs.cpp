#include "contact/ribs.h"

#include <algorithm>

#include "geometry/bvh.h"

namespace yawara::contact {
namespace {

/// Both sides of a thin part face away from each other: the cosine of the angle that the normal behind may differ by.
/// Where a rim is, normals of particles lean by half a right angle; at a sharp tip sides differ by more.
constexpr double kOppositeFaces = 0.6;

}  // namespace

std::vector<Rib> find_ribs(std::span<const Int3> triangles, std::span<const std::int32_t> vertices,
                           std::span<const Vec3d> rest, double thin)
{
    const auto at = [&](std::int32_t i) { return rest[std::size_t(i)]; };
    const auto area_of = [&](const Int3& t) { return cross(at(t[1]) - at(t[0]), at(t[2]) - at(t[0])); };
    std::vector<Vec3d> normals(rest.size());
    std::vector<Box3> boxes(triangles.size());
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (const std::int32_t i : triangles[t]) {
            normals[std::size_t(i)] += normalized(area_of(triangles[t]));
            boxes[t].add(at(i));
        }
    const Bvh tree(boxes);
    std::vector<Rib> ribs;
    for (const std::int32_t vertex : vertices) {
        const Vec3d from = at(vertex), segment = normalized(normals[std::size_t(vertex)]) * -thin;
        Rib rib{vertex, -1, {}, 0};
        tree.along(from, segment, [&](std::int32_t k, double& reach) {
            const Int3& t = triangles[std::size_t(k)];
            const Vec3d area = area_of(t);
            const double out = dot(area, segment);
            if (!(out > kOppositeFaces * thin * length(area)) || t[0] == vertex || t[1] == vertex || t[2] == vertex)
                return;
            const double share = dot(area, at(t[0]) - from) / out;
            if (!(share > 0 && share < reach)) return;
            const Vec3d spot = from + segment * share;
            std::array<float, 3> weights;
            for (std::size_t c = 0; c < 3; ++c) {
                const Vec3d a = at(t[(c + 1) % 3]), b = at(t[(c + 2) % 3]);
                weights[c] = float(dot(cross(b - a, spot - a), area) / dot(area, area));
            }
            if (*std::min_element(weights.begin(), weights.end()) < -1e-4f) return;
            reach = share;
            rib = {vertex, k, weights, float(share * out / length(area))};
        });
        if (rib.triangle >= 0) ribs.push_back(rib);
    }
    return ribs;
}

}  // namespace yawara::contact
