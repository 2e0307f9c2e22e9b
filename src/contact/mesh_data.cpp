// Exact distances by a tree of triangles where it matters, a grid that says where it does not. Signs come from the
// normals of faces, edges and vertices (Baerentzen and Aanaes 2005), or, for surfaces whose parts overlap, from the
// winding number.
#include "contact/mesh_data.h"

#include "contact/crossings.h"
#include "core/parallel.h"
#include "geometry/equal_groups.h"

namespace yawara {
namespace {

std::size_t slot(std::int32_t index)
{
    return static_cast<std::size_t>(index);
}

}  // namespace

namespace contact {

FeatureNormals::FeatureNormals(const ClosedSurface& surface)
    : faces_(surface.triangles.size()), edges_(3 * faces_.size()), vertices_(surface.vertices.size())
{
    std::vector<std::array<std::int32_t, 2>> keys(edges_.size());
    for (std::size_t t = 0; t < faces_.size(); ++t) {
        const Int3& corner = surface.triangles[t];
        for (std::size_t k = 0; k < 3; ++k) keys[3 * t + k] = sorted_key(std::array{corner[k], corner[(k + 1) % 3]});
    }
    offsets_.push_back(0);
    for_each_group<2>(keys, surface.vertices.size(), [&](std::span<const std::int32_t> same) {
        same_.insert(same_.end(), same.begin(), same.end());
        offsets_.push_back(static_cast<std::int32_t>(same_.size()));
    });
    follow(surface);
}

void FeatureNormals::follow(const ClosedSurface& surface)
{
    std::fill(vertices_.begin(), vertices_.end(), Vec3d{});
    for (std::size_t t = 0; t < faces_.size(); ++t) {
        const Int3& corner = surface.triangles[t];
        faces_[t] = normalized(surface.area_normal(static_cast<std::int32_t>(t)));
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d x = surface.vertices[slot(corner[k])];
            const Vec3d a = normalized(surface.vertices[slot(corner[(k + 1) % 3])] - x);
            const Vec3d b = normalized(surface.vertices[slot(corner[(k + 2) % 3])] - x);
            vertices_[slot(corner[k])] += faces_[t] * std::atan2(length(cross(a, b)), dot(a, b));
        }
    }
    for (Vec3d& n : vertices_) n = normalized(n);
    for (std::size_t g = 0; g + 1 < offsets_.size(); ++g) {
        const std::span same(same_.data() + offsets_[g], same_.data() + offsets_[g + 1]);
        Vec3d sum;
        for (const std::int32_t e : same) sum += faces_[slot(e) / 3];
        for (const std::int32_t e : same) edges_[slot(e)] = normalized(sum);
    }
}

Vec3d FeatureNormals::at_feature(const ClosedSurface& surface, std::int32_t triangle,
                                 const std::array<double, 3>& weights) const
{
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
        if (weights[next] == 0 && weights[last] == 0) return vertices_[slot(surface.triangles[slot(triangle)][k])];
        if (weights[last] == 0 && weights[k] != 0) return edges_[3 * slot(triangle) + k];
    }
    return faces_[slot(triangle)];
}

}  // namespace contact

MeshDistance::Data::Data(const TriMesh& source, bool turned_inside_out, contact::ClosedSurface closed)
    : mesh(source),
      inside_out(turned_inside_out),
      surface(std::move(closed)),
      box(yawara::bounds(surface.vertices)),
      normals(surface),
      winding(surface)
{
    find_skin();
    std::vector<Box3> around(skin.size());
    for (std::size_t k = 0; k < skin.size(); ++k) {
        for (int c = 0; c < 3; ++c) around[k].add(skin_corners.emplace_back(surface.corner(skin[k], c)));
    }
    tree = Bvh(around);
    make_grid();
}

void MeshDistance::Data::make_grid()
{
    grid.emplace(
        box,
        [&](Vec3d p, std::int32_t hint) {
            const Nearest found = nearest(p, hint, contact::DistanceGrid::kTolerance);
            return contact::DistanceGrid::Nearest{length(p - found.closest.point), found.place};
        },
        [&](Vec3d p) { return winding.is_solid(surface, p); });
    small = grid->cell();
}

void MeshDistance::Data::find_skin()
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
        const bool flat = normals.of_face(static_cast<std::int32_t>(k)) == Vec3d{};
        sound = sound && !crossed[k] && (flat || (behind[k] && !before[k]));
        if (crossed[k] || before[k] != behind[k]) skin.push_back(static_cast<std::int32_t>(k));
    }
    if (!skin.empty()) return;
    for (std::size_t k = 0; k < before.size(); ++k) skin.push_back(static_cast<std::int32_t>(k));
}

void MeshDistance::Data::let_deform()
{
    grid.reset();
    sound = false;
    boxes.resize(surface.triangles.size());
    skin_boxes.resize(skin.size());
}

void MeshDistance::Data::pose(std::span<const Vec3d> vertices)
{
    std::copy(vertices.begin(), vertices.end(), mesh.vertices.begin());
    for (std::size_t v = 0; v < surface.vertices.size(); ++v) surface.vertices[v] = vertices[slot(surface.source[v])];
    box = yawara::bounds(surface.vertices);
    normals.follow(surface);
    contact::fit_boxes(surface, boxes);
    winding.follow(surface, boxes);
    for (std::size_t k = 0; k < skin.size(); ++k) {
        skin_boxes[k] = boxes[slot(skin[k])];
        for (int c = 0; c < 3; ++c) skin_corners[3 * k + std::size_t(c)] = surface.corner(skin[k], c);
    }
    tree.refit(skin_boxes);
}

ClosestOnTriangle MeshDistance::Data::closest_on(std::int32_t place, Vec3d p) const
{
    const Vec3d* corner = &skin_corners[3 * slot(place)];
    return closest_on_triangle(corner[0], corner[1], corner[2], p);
}

double MeshDistance::Data::distance2_to(std::int32_t place, Vec3d p) const
{
    const Vec3d segment = p - closest_on(place, p).point;
    return dot(segment, segment);
}

MeshDistance::Data::Nearest MeshDistance::Data::nearest(Vec3d p, std::int32_t hint, double tolerance) const
{
    const double limit2 = hint < 0 ? std::numeric_limits<double>::infinity() : distance2_to(hint, p);
    const auto distance2 = [&](std::int32_t place) { return distance2_to(place, p); };
    const std::int32_t found = tree.nearest(p, limit2, distance2, tolerance).first;
    return {found < 0 ? hint : found, closest_on(found < 0 ? hint : found, p)};
}

Vec3d MeshDistance::Data::difference(const Data& other, Vec3d p, double reach) const
{
    if (!inside_out && squared_distance(p, box.low, box.high) > reach * reach) return {};
    const Nearest found = nearest(p, -1);
    Vec3d sum;
    for (std::size_t c = 3 * slot(found.place), k = 0; k < 3; ++k)
        sum += (other.skin_corners[c + k] - skin_corners[c + k]) * found.closest.weights[k];
    return sum;
}

std::pair<double, Vec3d> MeshDistance::Data::exact(Vec3d p, std::int32_t hint) const
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
            if (is_solid_beside(triangle, found.closest.point, -1)) return {-small, normal};
            normal = -normal;
        }
        return {dot(segment, normal), normal};
    }
    const bool solid = sound ? dot(segment, normal) < 0 : winding.is_solid(surface, p);
    return {solid ? -distance : distance, segment * ((solid ? -1 : 1) / distance)};
}

bool MeshDistance::Data::is_solid_beside(std::int32_t triangle, Vec3d point, int side) const
{
    const double step = 1e-5 * std::sqrt(length(surface.area_normal(triangle)));  // small against the triangle
    return winding.is_solid(surface, point + normals.of_face(triangle) * (side * step));
}

}  // namespace yawara
