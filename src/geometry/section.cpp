#include "yawara/section.h"

#include <algorithm>
#include <cmath>
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

namespace {

/// Where a triangle crosses the plane, in coordinates of the plane; from left to right.
struct Crossing {
    double x0, y0, x1, y1;
    int turn;  ///< +1, or -1 if the inside of the surface is below it rather than above
    double at(double x) const { return y0 + (y1 - y0) * (x - x0) / (x1 - x0); }
};

}  // namespace

std::vector<Vec3> cap_of(std::span<const Int3> triangles, std::span<const Vec3> positions, const Plane& plane)
{
    const Vec3d n = normalized(plane.normal);
    const Vec3d u = normalized(cross(std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0}, n)), v = cross(n, u);
    std::vector<double> heights;
    for (const Vec3& p : positions) heights.push_back(dot(n, p.as<double>() - plane.point));

    std::vector<Crossing> crossings;
    std::vector<double> stops;
    for (const Int3& t : triangles) {
        Vec3d ends[2];
        int count = 0, first = 0;
        for (int k = 0; k < 3; ++k) {
            const auto a = std::size_t(t[k]), b = std::size_t(t[(k + 1) % 3]);
            if ((heights[a] > 0) == (heights[b] > 0)) continue;
            if (heights[a] > 0) first = count;  // the surface is crossed downwards here
            // From the same end for both triangles at an edge.
            const auto [low, high] = std::minmax(a, b);
            const Vec3d p = positions[low].as<double>(), q = positions[high].as<double>();
            ends[count++] = p + (q - p) * (heights[low] / (heights[low] - heights[high])) - plane.point;
        }
        if (count != 2) continue;
        const Vec3d from = ends[first], to = ends[1 - first];
        const double x0 = dot(u, from), y0 = dot(v, from), x1 = dot(u, to), y1 = dot(v, to);
        stops.push_back(x0);
        stops.push_back(x1);
        if (x0 < x1) crossings.push_back({x0, y0, x1, y1, 1});
        if (x1 < x0) crossings.push_back({x1, y1, x0, y0, -1});
    }
    std::ranges::sort(stops);
    stops.erase(std::ranges::unique(stops).begin(), stops.end());
    std::ranges::sort(crossings, {}, &Crossing::x0);

    // Between two neighbouring stops no crossing begins or ends: what is inside there are trapezoids.
    std::vector<Vec3> cap;
    std::vector<Crossing> active;
    auto next = crossings.begin();
    for (std::size_t s = 0; s + 1 < stops.size(); ++s) {
        const double left = stops[s], right = stops[s + 1], middle = 0.5 * (left + right);
        std::erase_if(active, [&](const Crossing& c) { return c.x1 <= left; });
        while (next != crossings.end() && next->x0 <= left) active.push_back(*next++);
        std::ranges::sort(active, {}, [&](const Crossing& c) { return c.at(middle); });
        int inside = 0;
        for (std::size_t k = 0; k + 1 < active.size(); ++k) {
            inside += active[k].turn;
            if (inside == 0) continue;
            const auto place = [&](const Crossing& c, double x) {
                return (plane.point + u * x + v * c.at(x)).as<float>();
            };
            const Vec3 a = place(active[k], left), b = place(active[k], right), c = place(active[k + 1], right),
                       d = place(active[k + 1], left);
            cap.insert(cap.end(), {a, b, c, a, c, d});
        }
    }
    return cap;
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
