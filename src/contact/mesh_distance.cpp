// Mesh obstacles: exact distances by a tree of triangles where it matters, a grid that says where it does not.
// Signs come from the normals of faces, edges and vertices (Baerentzen and Aanaes 2005), or, for surfaces whose parts
// overlap, from the winding number.
#include <limits>

#include "contact/crossings.h"
#include "contact/distance_grid.h"
#include "contact/winding.h"
#include "core/parallel.h"
#include "geometry/closest_point.h"
#include "geometry/equal_groups.h"
#include "yawara/collider.h"

namespace yawara {

using contact::ClosedSurface;

namespace {

std::size_t slot(std::int32_t index)
{
    return static_cast<std::size_t>(index);
}

/// Normals of faces, edges and vertices, unit length; the sign of (p - closest) . normal is that of the distance.
struct FeatureNormals {
    std::vector<Vec3d> faces, edges, vertices;  ///< edges: 3 per triangle, edge k from corner k

    explicit FeatureNormals(const ClosedSurface& surface)
        : faces(surface.triangles.size()), edges(3 * faces.size()), vertices(surface.vertices.size())
    {
        std::vector<std::array<std::int32_t, 2>> keys(edges.size());
        for (std::size_t t = 0; t < faces.size(); ++t) {
            const Int3& corner = surface.triangles[t];
            faces[t] = normalized(surface.area_normal(static_cast<std::int32_t>(t)));
            for (std::size_t k = 0; k < 3; ++k) {
                const Vec3d x = surface.vertices[slot(corner[k])];
                const Vec3d a = normalized(surface.vertices[slot(corner[(k + 1) % 3])] - x);
                const Vec3d b = normalized(surface.vertices[slot(corner[(k + 2) % 3])] - x);
                vertices[slot(corner[k])] += faces[t] * std::atan2(length(cross(a, b)), dot(a, b));
                keys[3 * t + k] = sorted_key(std::array{corner[k], corner[(k + 1) % 3]});
            }
        }
        for (Vec3d& n : vertices) n = normalized(n);
        for_each_group<2>(keys, surface.vertices.size(), [&](std::span<const std::int32_t> same) {
            Vec3d sum;
            for (const std::int32_t e : same) sum += faces[slot(e) / 3];
            for (const std::int32_t e : same) edges[slot(e)] = normalized(sum);
        });
    }

    Vec3d at_feature(const ClosedSurface& surface, std::int32_t triangle, const std::array<double, 3>& weights) const
    {
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
            if (weights[next] == 0 && weights[last] == 0) return vertices[slot(surface.triangles[slot(triangle)][k])];
            if (weights[last] == 0 && weights[k] != 0) return edges[3 * slot(triangle) + k];
        }
        return faces[slot(triangle)];
    }
};

}  // namespace

struct MeshDistance::Data {
    TriMesh mesh;
    bool inside_out;
    ClosedSurface surface;
    Box3 box;
    FeatureNormals normals;
    contact::Winding winding;
    bool sound = true;                ///< no triangles cross, and each has solid behind it alone: normals tell the sign
    std::vector<std::int32_t> skin;   ///< triangles that lie between solid and void; the others are buried
    std::vector<Vec3d> skin_corners;  ///< 3 per triangle of the skin
    Bvh tree;                         ///< over the skin
    contact::DistanceGrid grid;

    Data(const TriMesh& source, bool turned_inside_out, ClosedSurface closed)
        : mesh(source),
          inside_out(turned_inside_out),
          surface(std::move(closed)),
          box(yawara::bounds(surface.vertices)),
          normals(surface),
          winding(surface)
    {
        find_skin();
        std::vector<Box3> boxes(skin.size());
        for (std::size_t k = 0; k < skin.size(); ++k) {
            for (int c = 0; c < 3; ++c) boxes[k].add(skin_corners.emplace_back(surface.corner(skin[k], c)));
        }
        tree = Bvh(boxes);
        grid = contact::DistanceGrid(
            box,
            [&](Vec3d p, std::int32_t hint) {
                const Nearest found = nearest(p, hint, contact::DistanceGrid::kTolerance);
                return contact::DistanceGrid::Nearest{length(p - found.closest.point), found.place};
            },
            [&](Vec3d p) { return winding.is_solid(surface, p); });
    }

    struct Nearest {
        std::int32_t place;  ///< in the skin
        ClosestOnTriangle closest;
    };

    /// The triangle of the skin nearest to p; `hint` is one that may be, or -1.
    Nearest nearest(Vec3d p, std::int32_t hint, double tolerance = 0) const
    {
        const auto closest = [&](std::int32_t k) {
            const Vec3d* corner = &skin_corners[3 * slot(k)];
            return closest_on_triangle(corner[0], corner[1], corner[2], p);
        };
        const auto distance2 = [&](std::int32_t k) {
            const Vec3d segment = p - closest(k).point;
            return dot(segment, segment);
        };
        const double limit2 = hint < 0 ? std::numeric_limits<double>::infinity() : distance2(hint);
        const std::int32_t found = tree.nearest(p, limit2, distance2, tolerance).first;
        return {found < 0 ? hint : found, closest(found < 0 ? hint : found)};
    }

    /// Distance to the mesh, negative inside, with its gradient.
    std::pair<double, Vec3d> exact(Vec3d p, std::int32_t hint) const
    {
        const Nearest found = nearest(p, hint);
        const std::int32_t triangle = skin[slot(found.place)];
        const Vec3d segment = p - found.closest.point;
        const double distance = length(segment);
        Vec3d normal = normals.at_feature(surface, triangle, found.closest.weights);
        const double touching = 1e-7 * (std::abs(p.x) + std::abs(p.y) + std::abs(p.z));
        if (distance <= touching) {  // the segment has no direction left
            if (!sound && is_solid_beside(triangle, found.closest.point, 1)) {
                // Solid on both sides: a buried piece of a triangle, no surface. It is somewhere farther out.
                if (is_solid_beside(triangle, found.closest.point, -1)) return {-grid.cell(), normal};
                normal = -normal;
            }
            return {dot(segment, normal), normal};
        }
        const bool solid = sound ? dot(segment, normal) < 0 : winding.is_solid(surface, p);
        return {solid ? -distance : distance, segment * ((solid ? -1 : 1) / distance)};
    }

    /// Is there solid next to a point of a triangle, before it (side 1) or behind it (side -1)?
    bool is_solid_beside(std::int32_t triangle, Vec3d point, int side) const
    {
        return winding.is_solid(surface, point + normals.faces[slot(triangle)] * (side * small_step(triangle)));
    }

private:
    /// A step off a triangle that is small against it.
    double small_step(std::int32_t t) const { return 1e-5 * std::sqrt(length(surface.area_normal(t))); }

    void find_skin()
    {
        std::vector<char> before(surface.triangles.size()), behind = before;
        for_each_chunk(before.size(), 64, [&](std::size_t, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k) {
                const auto t = static_cast<std::int32_t>(k);
                const Vec3d middle = (surface.corner(t, 0) + surface.corner(t, 1) + surface.corner(t, 2)) / 3.0;
                before[k] = is_solid_beside(t, middle, 1);
                behind[k] = is_solid_beside(t, middle, -1);
            }
        });
        // A crossed triangle stays whatever its middle says: a part of it may show.
        const std::vector<char> crossed = contact::crossed_triangles(surface);
        for (std::size_t k = 0; k < before.size(); ++k) {
            const bool flat = normals.faces[k] == Vec3d{};
            sound = sound && !crossed[k] && (flat || (behind[k] && !before[k]));
            if (crossed[k] || before[k] != behind[k]) skin.push_back(static_cast<std::int32_t>(k));
        }
        if (!skin.empty()) return;
        for (std::size_t k = 0; k < before.size(); ++k) skin.push_back(static_cast<std::int32_t>(k));
    }
};

Result<MeshDistance> MeshDistance::build(const TriMesh& mesh, bool inside_out)
{
    Result<ClosedSurface> surface = contact::close_surface(mesh);
    if (!surface) return surface.error();
    MeshDistance distance;
    distance.data_ = std::make_shared<const Data>(mesh, inside_out, std::move(*surface));
    return distance;
}

MeshDistance::Sample MeshDistance::at(Vec3 point) const
{
    const Data& data = *data_;
    if (!is_finite(point)) return {std::numeric_limits<float>::max(), {0, 1, 0}};  // nowhere, so clear of everything
    const Vec3d p = point.as<double>();
    const float side = data.inside_out ? -1.0f : 1.0f;
    const Vec3d outside = data.grid.outside(p);
    std::int32_t hint = -1;
    if (outside == Vec3d{}) {
        const contact::DistanceGrid::Value rough = data.grid.at(p);
        if (side * rough.distance > 2 * data.grid.cell()) {
            return {static_cast<float>(side * rough.distance), normalized(rough.gradient).as<float>() * side};
        }
        hint = rough.triangle;
    } else if (!data.inside_out) {
        // The grid reaches beyond the mesh by its margin, so this is no more than the distance.
        const double distance = length(outside) + contact::DistanceGrid::kMargin * data.grid.cell();
        return {static_cast<float>(distance), normalized(outside).as<float>()};
    }
    const auto [distance, normal] = data.exact(p, hint);
    return {static_cast<float>(distance) * side, normal.as<float>() * side};
}

std::optional<MeshDistance::Entry> MeshDistance::first_entry(Vec3d from, Vec3d to) const
{
    const Data& data = *data_;
    const Vec3d segment = to - from;
    std::optional<Entry> entry;
    data.tree.along(from, segment, [&](std::int32_t k, double& reach) {
        const std::int32_t t = data.skin[static_cast<std::size_t>(k)];
        const Vec3d a = data.surface.corner(t, 0), ab = data.surface.corner(t, 1) - a,
                    ac = data.surface.corner(t, 2) - a;
        const Vec3d normal = cross(ab, ac);
        const double slope = dot(segment, normal);
        if (std::abs(slope) <= 1e-12 * length(segment) * length(normal)) return;  // along the triangle, not through it
        const double share = dot(a - from, normal) / slope;
        if (!(share >= 0 && share <= reach)) return;
        // The hit in units of the edges; a little tolerance so that nothing slips through between two triangles.
        const Vec3d hit = from + segment * share - a;
        const double scale = 1 / dot(normal, normal);
        const double v = dot(cross(hit, ac), normal) * scale, w = dot(cross(ab, hit), normal) * scale;
        if (v < -1e-9 || w < -1e-9 || v + w > 1 + 1e-9) return;

        Vec3d outwards = data.normals.faces[static_cast<std::size_t>(t)];
        if (!data.sound && data.is_solid_beside(t, a + hit, 1)) outwards = -outwards;
        if (data.inside_out) outwards = -outwards;
        if (dot(segment, outwards) >= 0) return;  // comes out here
        reach = share;
        entry = Entry{share, outwards};
    });
    return entry;
}

Box3 MeshDistance::bounds() const
{
    constexpr double kEverywhere = std::numeric_limits<double>::max();
    const Vec3d corner{kEverywhere, kEverywhere, kEverywhere};
    return data_->inside_out ? Box3{-corner, corner} : data_->box;
}

const TriMesh& MeshDistance::mesh() const
{
    return data_->mesh;
}

}  // namespace yawara
