// A body's surface as a graphics card wants it: vertices split along sharp edges and seams of the texture, normals and
// tangents anew for every frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yawara/drawing.h"

namespace yawara {

/// Decided once, at rest: which corners share a normal. So the edges of a cube stay sharp, whatever it does.
class DrawnSurface {
public:
    /// Texture coordinates of the mesh split vertices, too.
    explicit DrawnSurface(const TriMesh& rest);

    std::size_t vertex_count() const { return source_.size(); }
    /// Triangles in the order of the mesh; corners are drawn vertices.
    std::span<const Int3> triangles() const { return triangles_; }
    /// The vertex of the mesh behind each drawn one.
    std::span<const std::int32_t> source() const { return source_; }
    /// Per drawn vertex; empty if the mesh has none.
    std::span<const Vec2> uvs() const { return uvs_; }
    /// Every edge has two triangles: the surface encloses something.
    bool is_closed() const { return closed_; }

    /// Copies values of the mesh's vertices to the drawn ones.
    void spread(std::span<const Vec3> vertices, std::span<Vec3> out) const;
    void spread(std::span<const float> values, std::span<float> out) const;

    /// Unit normals of the drawn vertices at some positions; `faces`: scratch, one per triangle.
    void normals(std::span<const Vec3> positions, std::span<Vec3> faces, std::span<Vec3> out) const;
    /// Tangents at right angles to these normals; scratch as above.
    void tangents(std::span<const Vec3> positions, std::span<const Vec3> normals, std::span<Vec3> faces,
                  std::span<Tangent> out) const;

private:
    Vec3 sum_around(std::size_t vertex, std::span<const Vec3> faces) const;

    std::vector<Int3> triangles_;
    std::vector<std::int32_t> source_;
    std::vector<Vec2> uvs_;
    std::vector<float> sides_;                    ///< per drawn vertex, if there is a texture: see Tangent
    std::vector<std::int32_t> offsets_, around_;  ///< triangles around each drawn vertex
    bool closed_ = false;
};

}  // namespace yawara
