// A body's surface as a graphics card wants it: vertices split along sharp edges, normals anew for every frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::stream {

/// Decided once, at rest: which corners share a normal. So the edges of a cube stay sharp, whatever it does.
class DrawnSurface {
public:
    explicit DrawnSurface(const TriMesh& rest);

    std::size_t vertex_count() const { return source_.size(); }
    /// Triangles in the order of the mesh; corners are drawn vertices.
    std::span<const Int3> triangles() const { return triangles_; }
    /// The vertex of the mesh behind each drawn one.
    std::span<const std::int32_t> source() const { return source_; }
    /// Every edge has two triangles: the surface encloses something.
    bool is_closed() const { return closed_; }

    /// Copies values of the mesh's vertices to the drawn ones.
    void spread(std::span<const Vec3> vertices, std::span<Vec3> out) const;
    void spread(std::span<const float> values, std::span<float> out) const;
    /// Unit normals of the drawn vertices, as four signed bytes each; 127 is 1.
    void normals(std::span<const Vec3> vertices, std::span<std::int8_t> out);

private:
    std::vector<Int3> triangles_, mesh_triangles_;
    std::vector<std::int32_t> source_;
    std::vector<std::int32_t> offsets_, around_;  ///< triangles around each drawn vertex
    std::vector<Vec3> face_;                      ///< scratch: normal of each triangle, as long as twice its area
    bool closed_ = false;
};

}  // namespace yawara::stream
