// Streamlines by small steps over triangles, kept apart as Jobard and Lefer do (Creating evenly-spaced streamlines of
// arbitrary density, 1997): a line starts where no other is near, and ends where it comes near to one.
#include "yawara/streamlines.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace yawara {
namespace {

constexpr double kStep = 0.5;            // of the spacing, between two points of a line
constexpr double kNearest = 0.5;         // of the spacing: a line that comes nearer to another ends
constexpr double kLongest = 40;          // spacings, each way from where a line starts
constexpr double kLeastStrength = 0.03;  // a direction weaker than this is unknown
constexpr int kMostStalls = 8;           // crossings of edges in a row that lead nowhere

/// A triangle with what a walk over it needs.
struct Face {
    std::array<Vec3d, 3> gradients;  ///< of the weights
    Vec3d u, v, normal;              ///< orthonormal, u and v in its plane
    Int3 beyond{-1, -1, -1};         ///< triangle across the edge opposite to each corner
};

std::vector<Face> faces_of(const TriMesh& surface)
{
    struct Side {
        std::int32_t a, b, triangle, corner;
    };
    std::vector<Face> faces;
    std::vector<Side> sides;
    for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
        const Int3& c = surface.triangles[t];
        const auto at = [&](std::size_t k) { return surface.vertices[std::size_t(c[k])]; };
        Face face;
        const Vec3d area = cross(at(1) - at(0), at(2) - at(0));
        const double square = dot(area, area);
        if (square > 0) {
            face.normal = normalized(area);
            face.u = normalized(at(1) - at(0));
            face.v = cross(face.normal, face.u);
            for (std::size_t k = 0; k < 3; ++k)
                face.gradients[k] = cross(area, at((k + 2) % 3) - at((k + 1) % 3)) / square;
        }
        faces.push_back(face);
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [low, high] = std::minmax(c[(k + 1) % 3], c[(k + 2) % 3]);
            sides.push_back({low, high, std::int32_t(t), std::int32_t(k)});
        }
    }
    std::ranges::sort(sides, [](const Side& x, const Side& y) {
        return std::array{x.a, x.b, x.triangle} < std::array{y.a, y.b, y.triangle};
    });
    for (std::size_t k = 1; k < sides.size(); ++k) {
        const Side &x = sides[k - 1], &y = sides[k];
        if (x.a != y.a || x.b != y.b) continue;
        faces[std::size_t(x.triangle)].beyond[std::size_t(x.corner)] = y.triangle;
        faces[std::size_t(y.triangle)].beyond[std::size_t(y.corner)] = x.triangle;
    }
    return faces;
}

/// Points of lines by where they are. Cells are twice as wide as anyone looks, so that eight of them are enough.
class Crowd {
public:
    explicit Crowd(double spacing) : spacing_(spacing) {}

    struct Point {
        Vec3d place, normal;
        std::int32_t line;
        double along;  ///< m from where its line starts; the other way negative
    };
    void add(const Point& point)
    {
        const Vec3d c = point.place / (2 * spacing_);
        cells_[key(cell(c.x), cell(c.y), cell(c.z))].push_back(point);
    }
    /// Is one within the distance, at most the spacing, on this side of the surface? A point does not disturb those
    /// next to it on its line.
    bool near(const Point& point, double distance) const
    {
        // The half of its cell that a point lies in tells which neighbours are within reach.
        const Vec3d c = point.place / (2 * spacing_) - Vec3d{0.5, 0.5, 0.5};
        const std::int64_t x = cell(c.x), y = cell(c.y), z = cell(c.z);
        for (int k = 0; k < 8; ++k) {
            const auto found = cells_.find(key(x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)));
            if (found == cells_.end()) continue;
            for (const Point& other : found->second) {
                const Vec3d away = other.place - point.place;
                if (dot(away, away) < distance * distance && dot(other.normal, point.normal) > 0 &&
                    (other.line != point.line || std::abs(other.along - point.along) > 3 * spacing_))
                    return true;
            }
        }
        return false;
    }

private:
    static std::int64_t cell(double x) { return std::int64_t(std::floor(x)); }
    static std::uint64_t key(std::int64_t x, std::int64_t y, std::int64_t z)
    {
        return std::uint64_t(x) * 0x9e3779b97f4a7c15u ^ std::uint64_t(y) * 0xc2b2ae3d27d4eb4fu ^
               std::uint64_t(z) * 0x165667b19e3779f9u;
    }
    double spacing_;
    std::unordered_map<std::uint64_t, std::vector<Point>> cells_;
};

class Tracer {
public:
    Tracer(const TriMesh& surface, std::span<const LineTensor> directions, double spacing)
        : surface_(surface), directions_(directions), spacing_(spacing), faces_(faces_of(surface)), crowd_(spacing)
    {
    }

    std::vector<Streamline> trace()
    {
        std::vector<Streamline> lines;
        // Neighbours one after the other would make all lines start at one end: a fixed disorder.
        std::vector<std::uint32_t> order(surface_.triangles.size());
        for (std::uint32_t t = 0; t < order.size(); ++t) order[t] = t;
        const auto mixed = [](std::uint32_t t) { return (t + 1) * 2654435761u; };
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) { return mixed(a) < mixed(b); });
        for (const std::uint32_t t : order)
            for (const auto& weights : seeds_of(t, mixed(t)))
                if (Streamline line = line_from(std::int32_t(t), weights, std::int32_t(lines.size())); !line.empty())
                    lines.push_back(std::move(line));
        return lines;
    }

private:
    struct Heading {
        Vec3d along;
        double strength = 0;
    };
    struct Walk {
        std::int32_t triangle;
        std::array<double, 3> weights;
    };

    Vec3d place(std::int32_t triangle, const std::array<double, 3>& w) const
    {
        const Int3& c = surface_.triangles[std::size_t(triangle)];
        return surface_.vertices[std::size_t(c[0])] * w[0] + surface_.vertices[std::size_t(c[1])] * w[1] +
               surface_.vertices[std::size_t(c[2])] * w[2];
    }

    /// Places of a triangle where lines may start: no farther apart than lines. Of triangles that are much smaller than
    /// that, some have none.
    std::vector<std::array<double, 3>> seeds_of(std::uint32_t triangle, std::uint32_t lot) const
    {
        const Int3& c = surface_.triangles[triangle];
        double longest = 0;
        for (std::size_t k = 0; k < 3; ++k)
            longest = std::max(
                longest, length(surface_.vertices[std::size_t(c[k])] - surface_.vertices[std::size_t(c[(k + 1) % 3])]));
        const double smaller = std::min(spacing_ / std::max(longest, 1e-12 * spacing_), 100.0);
        if (lot >> 8 & 0xffff & (std::bit_floor(std::uint32_t(std::max(1.0, smaller * smaller / 2))) - 1)) return {};
        const int n = int(std::clamp(std::ceil(longest / spacing_), 1.0, 20.0));
        std::vector<std::array<double, 3>> seeds;
        for (int i = 0; i < n; ++i)
            for (int j = 0; i + j < n; ++j) {
                const double a = (i + 1.0 / 3) / n, b = (j + 1.0 / 3) / n;
                seeds.push_back({a, b, 1 - a - b});
            }
        return seeds;
    }

    /// The first direction within the plane of the triangle, and by how much it is stronger than the one across it.
    Heading heading(const Walk& at) const
    {
        const Int3& c = surface_.triangles[std::size_t(at.triangle)];
        const Face& face = faces_[std::size_t(at.triangle)];
        double uu = 0, uv = 0, vv = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            const LineTensor& m = directions_[std::size_t(c[k])];
            const auto form = [&](Vec3d a, Vec3d b) {
                return m.xx * a.x * b.x + m.yy * a.y * b.y + m.zz * a.z * b.z + m.yz * (a.y * b.z + a.z * b.y) +
                       m.xz * (a.x * b.z + a.z * b.x) + m.xy * (a.x * b.y + a.y * b.x);
            };
            uu += at.weights[k] * form(face.u, face.u);
            uv += at.weights[k] * form(face.u, face.v);
            vv += at.weights[k] * form(face.v, face.v);
        }
        const double strength = std::hypot(uu - vv, 2 * uv), angle = 0.5 * std::atan2(2 * uv, uu - vv);
        return {face.u * std::cos(angle) + face.v * std::sin(angle), strength};
    }

    Crowd::Point crowd_point(const Walk& at, std::int32_t line, double along) const
    {
        return {place(at.triangle, at.weights), faces_[std::size_t(at.triangle)].normal, line, along};
    }

    /// Points of one half of a line, without its start.
    void walk(Walk at, Vec3d towards, std::int32_t line, int sense, Streamline& out)
    {
        double gone = 0, since = 0;  // m in all; since the last point
        for (int stalls = 0; gone < kLongest * spacing_ && stalls < kMostStalls;) {
            const Face& face = faces_[std::size_t(at.triangle)];
            Heading now = heading(at);
            if (!(now.strength > kLeastStrength)) return;
            if (dot(now.along, towards) < 0) now.along = -now.along;
            towards = now.along;
            double step = kStep * spacing_ - since;
            std::size_t left_by = 3;
            std::array<double, 3> rates;
            for (std::size_t k = 0; k < 3; ++k) {
                rates[k] = dot(face.gradients[k], now.along);
                if (rates[k] < 0 && at.weights[k] < -rates[k] * step) step = at.weights[k] / -rates[k], left_by = k;
            }
            for (std::size_t k = 0; k < 3; ++k) at.weights[k] = std::max(0.0, at.weights[k] + rates[k] * step);
            gone += step;
            since += step;
            stalls = step > 1e-6 * spacing_ ? 0 : stalls + 1;
            const bool ends = left_by < 3 && face.beyond[left_by] < 0;
            if (left_by == 3 || ends) {
                const Crowd::Point point = crowd_point(at, line, sense * gone);
                if (crowd_.near(point, kNearest * spacing_)) return;
                crowd_.add(point);
                out.push_back({at.triangle, at.weights, std::min(1.0, now.strength)});
                since = 0;
            }
            if (ends) return;
            if (left_by < 3) at = across(at, left_by);
        }
    }

    /// The same place on the triangle across an edge.
    Walk across(const Walk& at, std::size_t corner) const
    {
        const Int3& from = surface_.triangles[std::size_t(at.triangle)];
        Walk to{faces_[std::size_t(at.triangle)].beyond[corner], {}};
        const Int3& corners = surface_.triangles[std::size_t(to.triangle)];
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t j = 0; j < 3; ++j)
                if (corners[k] == from[j] && j != corner) to.weights[k] = at.weights[j];
        return to;
    }

    Streamline line_from(std::int32_t triangle, const std::array<double, 3>& weights, std::int32_t line)
    {
        const Walk start{triangle, weights};
        const Heading now = heading(start);
        const Crowd::Point seed = crowd_point(start, line, 0);
        if (!(now.strength > kLeastStrength) || crowd_.near(seed, spacing_)) return {};
        crowd_.add(seed);
        Streamline back, out;
        walk(start, -now.along, line, -1, back);
        out.assign(back.rbegin(), back.rend());
        out.push_back({triangle, weights, std::min(1.0, now.strength)});
        walk(start, now.along, line, 1, out);
        if (out.size() < 3) out.clear();
        return out;
    }

    const TriMesh& surface_;
    const std::span<const LineTensor> directions_;
    const double spacing_;
    const std::vector<Face> faces_;
    Crowd crowd_;
};

}  // namespace

LineTensor line_tensor(Vec3d d, double strength)
{
    return {strength * d.x * d.x, strength * d.y * d.y, strength * d.z * d.z,
            strength * d.y * d.z, strength * d.x * d.z, strength * d.x * d.y};
}

std::vector<Streamline> streamlines(const TriMesh& surface, std::span<const LineTensor> directions, double spacing)
{
    if (directions.size() != surface.vertices.size() || !(spacing > 0)) return {};
    return Tracer(surface, directions, spacing).trace();
}

}  // namespace yawara
