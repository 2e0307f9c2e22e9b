#include "yawara/section.h"

#include <map>

namespace yawara {
namespace {

/// Makes each vertex of a section once.
class Vertices {
public:
    Vertices(Section& section, std::span<const Vec3> positions, const Plane& plane) : section_(section)
    {
        const Vec3d n = normalized(plane.normal);
        for (const Vec3& p : positions) heights_.push_back(dot(n, p.as<double>() - plane.point));
    }
    bool hidden(std::int32_t i) const { return heights_[std::size_t(i)] > 0; }
    std::int32_t at(std::int32_t i) { return make(i, i, 0); }
    std::int32_t between(std::int32_t a, std::int32_t b)
    {
        if (a > b) std::swap(a, b);
        const double ha = heights_[std::size_t(a)], hb = heights_[std::size_t(b)];
        return make(a, b, float(ha / (ha - hb)));
    }

private:
    std::int32_t make(std::int32_t a, std::int32_t b, float share)
    {
        const auto [entry, is_new] = made_.try_emplace({a, b}, std::int32_t(section_.vertices.size()));
        if (is_new) section_.vertices.push_back({a, b, share});
        return entry->second;
    }
    Section& section_;
    std::vector<double> heights_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> made_;
};

}  // namespace

Section clip_surface(std::span<const Int3> triangles, std::span<const Vec3> positions, const Plane& plane)
{
    Section section;
    Vertices vertices(section, positions, plane);
    for (const Int3& t : triangles) {
        std::vector<std::int32_t> polygon;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::int32_t a = t[k], b = t[(k + 1) % 3];
            if (!vertices.hidden(a)) polygon.push_back(vertices.at(a));
            if (vertices.hidden(a) != vertices.hidden(b)) polygon.push_back(vertices.between(a, b));
        }
        for (std::size_t k = 2; k < polygon.size(); ++k) section.triangles.push_back({polygon[0], polygon[k - 1], polygon[k]});
    }
    return section;
}

Section cut_tets(std::span<const Int4> tets, std::span<const Vec3> positions, const Plane& plane)
{
    Section section;
    Vertices vertices(section, positions, plane);
    for (const Int4& tet : tets) {
        std::int32_t front[4], behind[4];
        int fronts = 0, behinds = 0;
        for (const std::int32_t v : tet) (vertices.hidden(v) ? front[fronts++] : behind[behinds++]) = v;
        if (fronts == 0 || behinds == 0) continue;
        std::vector<std::int32_t> polygon;
        const auto cut = [&](int f, int b) { polygon.push_back(vertices.between(front[f], behind[b])); };
        if (fronts == 2) {
            cut(0, 0), cut(0, 1), cut(1, 1), cut(1, 0);
        } else {
            for (int k = 0; k < 3; ++k) cut(fronts == 1 ? 0 : k, fronts == 1 ? k : 0);
        }
        const auto place = [&](std::size_t k) {
            const Section::Vertex& v = section.vertices[std::size_t(polygon[k])];
            return (positions[std::size_t(v.a)] + (positions[std::size_t(v.b)] - positions[std::size_t(v.a)]) * v.share).as<double>();
        };
        const bool turned = dot(cross(place(1) - place(0), place(2) - place(0)), plane.normal) < 0;
        for (std::size_t k = 2; k < polygon.size(); ++k) {
            Int3 t{polygon[0], polygon[k - 1], polygon[k]};
            if (turned) std::swap(t[1], t[2]);
            section.triangles.push_back(t);
        }
    }
    return section;
}

}  // namespace yawara
