#include "cvg/shape_distance.h"

#include <algorithm>
#include <cmath>

#include "cvg/noise.h"
#include "geometry/bvh.h"
#include "geometry/closest_point.h"

namespace yawara::cvg {

class MeshDistance {
public:
    explicit MeshDistance(TriMesh surface) : mesh_(std::move(surface))
    {
        std::vector<Box3> boxes;
        for (const Int3& t : mesh_.triangles) {
            Box3 box;
            for (const std::int32_t v : t) box.add(mesh_.vertices[std::size_t(v)]);
            boxes.push_back(box);
        }
        tree_ = Bvh(boxes);
    }

    double at(Vec3d p) const
    {
        const auto distance2 = [&](std::int32_t k) {
            const Int3& t = mesh_.triangles[std::size_t(k)];
            const auto corner = [&](std::size_t c) { return mesh_.vertices[std::size_t(t[c])]; };
            const Vec3d away = closest_on_triangle(corner(0), corner(1), corner(2), p).point - p;
            return dot(away, away);
        };
        return std::sqrt(tree_.nearest(p, 1e300, distance2).second);
    }

private:
    TriMesh mesh_;
    Bvh tree_;
};

std::shared_ptr<const MeshDistance> mesh_distance(const LevelSet& level_set)
{
    return std::make_shared<const MeshDistance>(level_set.surface());
}

namespace {

/// Of a box in two or three dimensions, from how far a point is beyond each side.
double beyond(Vec3d d)
{
    return length(max(d, Vec3d{})) + std::min(std::max({d.x, d.y, d.z}), 0.0);
}

double distance(const Ball& s, Vec3d q)
{
    return length(q) - s.radius;
}
double distance(const Block& s, Vec3d q)
{
    const double r = s.rounding;
    return beyond(Vec3d{std::abs(q.x), std::abs(q.y), std::abs(q.z)} - s.side / 2.0 + Vec3d{r, r, r}) - r;
}
double distance(const Cylinder& s, Vec3d q)
{
    return beyond({std::hypot(q.x, q.z) - s.radius, std::abs(q.y) - s.height / 2, -1e300});
}
double distance(const Cone& s, Vec3d q)
{
    // In the half-plane through its axis: a triangle whose side along the axis is no border.
    const double u = std::hypot(q.x, q.z), v = q.y + s.height / 2;
    const auto from = [&](double au, double av, double bu, double bv) {
        const double wu = bu - au, wv = bv - av;
        const double t = std::clamp(((u - au) * wu + (v - av) * wv) / (wu * wu + wv * wv), 0.0, 1.0);
        return std::hypot(u - au - t * wu, v - av - t * wv);
    };
    const double away = std::min(from(0, 0, s.radius, 0), from(s.radius, 0, 0, s.height));
    const bool inside = v >= 0 && v <= s.height && u <= s.radius * (1 - v / s.height);
    return inside ? -away : away;
}
double distance(const Torus& s, Vec3d q)
{
    return std::hypot(std::hypot(q.x, q.z) - s.radius, q.y) - s.tube;
}
double distance(const Tube& s, Vec3d q)
{
    double nearest = 1e300;
    for (std::size_t k = 0; k + 1 < s.points.size(); ++k) {
        const Vec3d a = s.points[k], along = s.points[k + 1] - a;
        const double square = dot(along, along);
        const double t = square > 0 ? std::clamp(dot(q - a, along) / square, 0.0, 1.0) : 0.0;
        const Vec3d away = q - a - along * t;
        nearest = std::min(nearest, dot(away, away));
    }
    return std::sqrt(nearest) - s.radius;
}
double distance(const Noise& s, Vec3d q)
{
    const double box = distance(Block{s.side}, q);
    const auto at = [&](Vec3d p) { return noise(p / s.grain, s.seed); };
    const double h = 0.01 * s.grain;
    const Vec3d slope{at(q + Vec3d{h, 0, 0}) - at(q - Vec3d{h, 0, 0}), at(q + Vec3d{0, h, 0}) - at(q - Vec3d{0, h, 0}),
                      at(q + Vec3d{0, 0, h}) - at(q - Vec3d{0, 0, h})};
    // Where the noise is flat, its surface is about a grain away.
    return std::max(box, (s.level - at(q)) / std::max(length(slope) / (2 * h), 1 / s.grain));
}
double distance(const Enclosed& s, Vec3d q)
{
    const double near = (*s.level_set)(q);
    return s.distance ? (near <= 0 ? -1.0 : 1.0) * s.distance->at(q) : near;
}
double distance(const Sampled&, Vec3d)
{
    return 1e300;
}

}  // namespace

double shape_distance(const Leaf& leaf, Vec3d local)
{
    return std::visit([&](const auto& shape) { return distance(shape, local); }, leaf.shape);
}

}  // namespace yawara::cvg
