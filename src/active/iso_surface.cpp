// Marching tetrahedra: the surface on which a field of the particles has a value, to draw strokes on.
#include <map>
#include <utility>

#include "yawara/active.h"

namespace yawara {

Section iso_section(const TetMesh& mesh, std::span<const double> values, double level)
{
    Section section;
    if (values.size() != mesh.vertices.size()) return section;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> on_edge;
    const auto crossing = [&](std::int32_t a, std::int32_t b) {
        const auto [low, high] = std::minmax(a, b);
        const auto [entry, is_new] = on_edge.try_emplace({low, high}, std::int32_t(section.vertices.size()));
        if (is_new) {
            const double va = values[std::size_t(low)], vb = values[std::size_t(high)];
            section.vertices.push_back({low, high, float((level - va) / (vb - va))});
        }
        return entry->second;
    };
    const auto at = [&](std::int32_t vertex) {
        const Section::Vertex& v = section.vertices[std::size_t(vertex)];
        const Vec3d a = mesh.vertices[std::size_t(v.a)];
        return a + (mesh.vertices[std::size_t(v.b)] - a) * double(v.share);
    };
    for (const Int4& tet : mesh.tets) {
        std::int32_t in[4], out[4];  // at or above the level, below it
        int ins = 0, outs = 0;
        for (const std::int32_t v : tet) (values[std::size_t(v)] >= level ? in[ins++] : out[outs++]) = v;
        if (ins == 0 || outs == 0) continue;
        std::vector<std::int32_t> polygon;
        if (ins == 1) polygon = {crossing(in[0], out[0]), crossing(in[0], out[1]), crossing(in[0], out[2])};
        else if (outs == 1) polygon = {crossing(in[0], out[0]), crossing(in[1], out[0]), crossing(in[2], out[0])};
        else
            polygon = {crossing(in[0], out[0]), crossing(in[0], out[1]), crossing(in[1], out[1]), crossing(in[1], out[0])};
        Vec3d up;
        for (int k = 0; k < ins; ++k) up += mesh.vertices[std::size_t(in[k])] / double(ins);
        for (int k = 0; k < outs; ++k) up -= mesh.vertices[std::size_t(out[k])] / double(outs);
        const Vec3d first = at(polygon[0]);
        const bool turned = dot(cross(at(polygon[1]) - first, at(polygon[2]) - first), up) < 0;
        for (std::size_t k = 2; k < polygon.size(); ++k) {
            Int3 t{polygon[0], polygon[k - 1], polygon[k]};
            if (turned) std::swap(t[1], t[2]);
            section.triangles.push_back(t);
        }
    }
    return section;
}

TriMesh iso_surface(const TetMesh& mesh, std::span<const double> values, double level)
{
    const Section section = iso_section(mesh, values, level);
    TriMesh surface;
    for (const Section::Vertex& v : section.vertices) {
        const Vec3d a = mesh.vertices[std::size_t(v.a)], b = mesh.vertices[std::size_t(v.b)];
        surface.vertices.push_back(a + (b - a) * double(v.share));
    }
    surface.triangles = section.triangles;
    return surface;
}

}  // namespace yawara
