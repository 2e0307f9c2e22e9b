// Collects the vertices and polygons of a surface file, checks them and cuts the polygons into triangles.
// Every surface reader ends here, so that all of them refuse the same mistakes with the same words.
#pragma once

#include <cstdint>
#include <vector>

#include "io/text_reader.h"
#include "yawara/mesh.h"

namespace yawara::io {

/// Coordinates beyond this are taken for damage: their squares no longer fit the single precision of the step.
inline constexpr double kLargestCoordinate = 1e18;

/// Refuses a coordinate that is not finite or out of all reason; `offset` is where it stands in the file.
void check_coordinates(const Vec3d& vertex, const Place& place, std::size_t offset);

class SurfaceBuilder {
public:
    /// `first_index` is what the format calls the first vertex, for messages.
    explicit SurfaceBuilder(Place place, int first_index = 0) : place_(std::move(place)), first_index_(first_index) {}

    void reserve_vertices(std::size_t count) { mesh_.vertices.reserve(count); }
    void add_vertex(const Vec3d& position, std::size_t offset)
    {
        check_coordinates(position, place_, offset);
        mesh_.vertices.push_back(position);
    }
    /// Colour of the last vertex, 0..1; vertices that get none are white. What is not finite becomes 0.
    void set_color(const Vec3d& color);
    std::size_t vertex_count() const { return mesh_.vertices.size(); }

    /// Starts a polygon whose corners follow. Vertices count from zero and may come later in the file.
    void begin_polygon(std::size_t offset) { polygons_.push_back({corners_.size(), offset, material_}); }
    /// Number of the material that polygons get from here on; -1: none.
    void set_material(std::int32_t material) { material_ = material; }
    void add_corner(std::int64_t vertex) { corners_.push_back(vertex); }
    /// Texture coordinate of the last corner; corners that get none have (0, 0). What is not finite becomes 0.
    void set_uv(double u, double v);
    std::size_t polygon_count() const { return polygons_.size(); }

    /// Errors found from here on are in binary data: their place is a byte, not a line.
    void set_binary() { place_.binary = true; }
    const Place& place() const { return place_; }

    /// `materials` receives those of the triangles.
    TriMesh finish(std::vector<std::int32_t>* materials = nullptr);

private:
    struct Polygon {
        std::size_t first_corner;
        std::size_t offset;  ///< in the file
        std::int32_t material;
    };
    void check_corners(const Polygon& polygon, std::size_t end) const;

    Place place_;
    int first_index_;
    TriMesh mesh_;
    std::vector<Polygon> polygons_;
    std::int32_t material_ = -1;
    std::vector<std::int64_t> corners_;
    std::vector<Vec2> uvs_;  ///< per corner, or empty
};

}  // namespace yawara::io
