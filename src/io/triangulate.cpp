// Cuts a polygon into triangles: a fan from one corner, or ear clipping in the polygon's mean plane.
#include "io/triangulate.h"

#include <cmath>
#include <cstdint>

namespace yawara::io {

namespace {

struct Point {
    double x, y;
};

// Twice the area of the triangle, positive if it turns like the polygon.
double turn(Point a, Point b, Point c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Twice the area times the normal (Newell): independent of the starting corner, defined for bent polygons too.
Vec3d newell(std::span<const Vec3d> polygon)
{
    Vec3d sum;
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
        sum += cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0]);
    }
    return sum;
}

std::vector<Point> project(std::span<const Vec3d> polygon, Vec3d normal)
{
    const Vec3d n = normalized(normal);
    const Vec3d helper = std::abs(n.x) < 0.6 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = normalized(cross(helper, n)), v = cross(n, u);
    std::vector<Point> points;
    points.reserve(polygon.size());
    for (const Vec3d& p : polygon) points.push_back({dot(p - polygon[0], u), dot(p - polygon[0], v)});
    return points;
}

bool fan_is_unfolded(const std::vector<Point>& points, std::size_t center, double least)
{
    const std::size_t n = points.size();
    for (std::size_t k = 1; k + 1 < n; ++k) {
        if (turn(points[center], points[(center + k) % n], points[(center + k + 1) % n]) < least) return false;
    }
    return true;
}

void append_fan(std::size_t n, std::size_t center, std::vector<Int3>& triangles)
{
    const auto index = [n](std::size_t i) { return static_cast<std::int32_t>(i % n); };
    for (std::size_t k = 1; k + 1 < n; ++k)
        triangles.push_back({index(center), index(center + k), index(center + k + 1)});
}

class EarClipper {
public:
    /// Turns below `tiny` count as straight.
    EarClipper(const std::vector<Point>& points, double tiny)
        : points_(points), tiny_(tiny), next_(points.size()), previous_(points.size())
    {
        const std::size_t n = points.size();
        for (std::size_t i = 0; i < n; ++i) {
            next_[i] = (i + 1) % n;
            previous_[i] = (i + n - 1) % n;
        }
    }

    void clip(std::vector<Int3>& triangles)
    {
        const std::size_t n = points_.size();
        // A simple polygon needs about n * n tests; one that crosses itself may need many more and gets any triangles.
        std::size_t tests_left = 16 * n * n;
        std::size_t corner = 0;
        for (std::size_t left = n; left > 3; --left) {
            std::size_t ear = corner;
            for (std::size_t tried = 0; tried < left && tests_left > 0 && !is_ear(ear, tests_left); ++tried)
                ear = next_[ear];
            append(ear, triangles);
            next_[previous_[ear]] = next_[ear];
            previous_[next_[ear]] = previous_[ear];
            corner = next_[next_[ear]];  // not the neighbour: ears all around give better triangles than one long fan
        }
        append(corner, triangles);
    }

private:
    bool is_ear(std::size_t i, std::size_t& tests_left) const
    {
        const std::size_t before = previous_[i], after = next_[i];
        const Point a = points_[before], b = points_[i], c = points_[after];
        if (turn(a, b, c) <= tiny_) return false;
        for (std::size_t j = next_[after]; j != before; j = next_[j]) {
            if (tests_left > 0) --tests_left;
            const Point p = points_[j];
            const bool inside = turn(a, b, p) >= -tiny_ && turn(b, c, p) >= -tiny_ && turn(c, a, p) >= -tiny_;
            const bool same = (p.x == a.x && p.y == a.y) || (p.x == b.x && p.y == b.y) || (p.x == c.x && p.y == c.y);
            if (inside && !same) return false;
        }
        return true;
    }
    void append(std::size_t i, std::vector<Int3>& triangles) const
    {
        triangles.push_back({static_cast<std::int32_t>(previous_[i]), static_cast<std::int32_t>(i),
                             static_cast<std::int32_t>(next_[i])});
    }

    const std::vector<Point>& points_;
    double tiny_;
    std::vector<std::size_t> next_, previous_;
};

}  // namespace

bool triangulate(std::span<const Vec3d> polygon, std::vector<Int3>& triangles)
{
    const std::size_t n = polygon.size();
    const Vec3d normal = newell(polygon);
    const double area = length(normal);
    if (n == 3 || !(area > 0.0)) {
        append_fan(n, 0, triangles);
        return true;
    }
    const std::vector<Point> points = project(polygon, normal);
    const double tiny = 1e-12 * area;
    for (const std::size_t center : {std::size_t{0}, std::size_t{1}}) {
        if (!fan_is_unfolded(points, center, -tiny)) continue;
        append_fan(n, center, triangles);
        return true;
    }
    if (n > kMostConcaveCorners) return false;
    EarClipper(points, tiny).clip(triangles);
    return true;
}

}  // namespace yawara::io
