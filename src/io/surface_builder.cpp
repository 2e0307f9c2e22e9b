// Checks the polygons of a surface file and makes triangles of them; see surface_builder.h.
#include "io/surface_builder.h"

#include <cmath>
#include <limits>

#include "io/text_writer.h"
#include "io/triangulate.h"

namespace yawara::io {

void check_coordinates(const Vec3d& vertex, const Place& place, std::size_t offset)
{
    for (int i = 0; i < 3; ++i) {
        if (std::abs(vertex[i]) <= kLargestCoordinate) continue;
        std::string found;
        append_number(found, vertex[i]);
        fail(place.at(offset), "a vertex has the coordinate " + found + "; expected a finite number within +-1e18");
    }
}

namespace {

// Wrong colours and texture coordinates are no reason to refuse a mesh.
float tame(double value)
{
    return std::abs(value) <= kLargestCoordinate ? static_cast<float>(value) : 0.0f;
}

}  // namespace

void SurfaceBuilder::set_color(const Vec3d& color)
{
    mesh_.colors.resize(mesh_.vertices.size(), Vec3{1, 1, 1});
    mesh_.colors.back() = {tame(color.x), tame(color.y), tame(color.z)};
}

void SurfaceBuilder::set_uv(double u, double v)
{
    uvs_.resize(corners_.size());
    uvs_.back() = {tame(u), tame(v)};
}

void SurfaceBuilder::check_corners(const Polygon& polygon, std::size_t end) const
{
    if (end - polygon.first_corner < 3) {
        fail(place_.at(polygon.offset),
             "a face has " + std::to_string(end - polygon.first_corner) + " corners; expected at least 3");
    }
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    for (std::size_t k = polygon.first_corner; k < end; ++k) {
        if (corners_[k] >= 0 && corners_[k] < count) continue;
        fail(place_.at(polygon.offset), "a face uses vertex " + std::to_string(corners_[k] + first_index_) +
                                            "; expected " + std::to_string(first_index_) + " to " +
                                            std::to_string(count - 1 + first_index_));
    }
}

TriMesh SurfaceBuilder::finish(std::vector<std::int32_t>* materials)
{
    const std::size_t end_of_file = place_.text.size();
    if (mesh_.vertices.empty()) fail(place_.at(end_of_file), "no vertices found; expected a surface mesh");
    if (polygons_.empty()) fail(place_.at(end_of_file), "no faces found; expected a surface mesh");
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    if (mesh_.vertices.size() > kMost || corners_.size() > kMost) {
        fail(place_.at(end_of_file), "more than 2^31 vertices or corners");
    }
    if (!mesh_.colors.empty()) mesh_.colors.resize(mesh_.vertices.size(), Vec3{1, 1, 1});
    if (!uvs_.empty()) uvs_.resize(corners_.size());

    std::vector<Vec3d> polygon_points;
    std::vector<Int3> cut;
    mesh_.triangles.reserve(polygons_.size());
    for (std::size_t p = 0; p < polygons_.size(); ++p) {
        const std::size_t first = polygons_[p].first_corner;
        const std::size_t end = p + 1 < polygons_.size() ? polygons_[p + 1].first_corner : corners_.size();
        check_corners(polygons_[p], end);
        cut.clear();
        if (end - first == 3) {
            cut.push_back({0, 1, 2});
        } else {
            polygon_points.clear();
            for (std::size_t k = first; k < end; ++k) {
                polygon_points.push_back(mesh_.vertices[static_cast<std::size_t>(corners_[k])]);
            }
            if (!triangulate(polygon_points, cut)) {
                fail(place_.at(polygons_[p].offset), "a concave face has " + std::to_string(end - first) +
                                                         " corners; expected at most " +
                                                         std::to_string(kMostConcaveCorners));
            }
        }
        for (const Int3& t : cut) {
            const auto vertex = [&](int i) { return static_cast<std::int32_t>(corners_[first + t[i]]); };
            mesh_.triangles.push_back({vertex(0), vertex(1), vertex(2)});
            if (materials) materials->push_back(polygons_[p].material);
            if (!uvs_.empty()) mesh_.corner_uvs.push_back({uvs_[first + t[0]], uvs_[first + t[1]], uvs_[first + t[2]]});
        }
    }
    return std::move(mesh_);
}

}  // namespace yawara::io
