#include "cut_inside.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace yawara::cli {
namespace {

/// Weights of the point of a triangle that is nearest to p, and its squared distance.
std::pair<std::array<float, 3>, float> nearest_on(const std::array<Vec2, 3>& t, Vec2 p)
{
    const auto area = [](Vec2 a, Vec2 b, Vec2 c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); };
    const float whole = area(t[0], t[1], t[2]);
    if (whole != 0) {
        const std::array<float, 3> w{area(p, t[1], t[2]) / whole, area(t[0], p, t[2]) / whole,
                                     area(t[0], t[1], p) / whole};
        if (std::ranges::min(w) >= 0) return {w, 0};
    }
    std::pair<std::array<float, 3>, float> best{{1, 0, 0}, std::numeric_limits<float>::max()};
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        const float dx = t[next].x - t[k].x, dy = t[next].y - t[k].y, span2 = dx * dx + dy * dy;
        const float along =
            span2 > 0 ? std::clamp(((p.x - t[k].x) * dx + (p.y - t[k].y) * dy) / span2, 0.0f, 1.0f) : 0.0f;
        const float x = t[k].x + dx * along - p.x, y = t[k].y + dy * along - p.y;
        if (x * x + y * y >= best.second) continue;
        best = {{}, x * x + y * y};
        best.first[k] = 1 - along;
        best.first[next] = along;
    }
    return best;
}

}  // namespace

CutFace::CutFace(const TetMesh& solid, std::span<const Vec3> particles, const Plane& plane)
    : point_(plane.point), cut_(cut_tets(solid.tets, particles, plane))
{
    const Vec3d n = normalized(plane.normal);
    u_ = normalized(cross(std::abs(n.y) < 0.9 ? Vec3d{0, 1, 0} : Vec3d{1, 0, 0}, n));
    v_ = cross(n, u_);
    const std::vector<Vec3> places = cut_.values(particles);
    Vec2 high{};
    for (const Int3& t : cut_.triangles) {
        std::array<Vec2, 3>& corner = corners_.emplace_back();
        for (std::size_t k = 0; k < 3; ++k) {
            corner[k] = flat(places[std::size_t(t[k])]);
            if (corners_.size() == 1 && k == 0) low_ = high = corner[0];
            low_ = {std::min(low_.x, corner[k].x), std::min(low_.y, corner[k].y)};
            high = {std::max(high.x, corner[k].x), std::max(high.y, corner[k].y)};
        }
    }
    const float wide = high.x - low_.x, tall = high.y - low_.y;
    cell_ = std::max({std::sqrt(wide * tall / float(corners_.size() + 1)), wide / 1000, tall / 1000, 1e-12f});
    columns_ = int(wide / cell_) + 1;
    rows_ = int(tall / cell_) + 1;
    triangles_in_.resize(std::size_t(columns_) * std::size_t(rows_));
    for (std::size_t t = 0; t < corners_.size(); ++t) {
        const auto [a, b, c] = corners_[t];
        const auto from = cell_of({std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y})});
        const auto to = cell_of({std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y})});
        for (int row = from[1]; row <= to[1]; ++row)
            for (int column = from[0]; column <= to[0]; ++column)
                triangles_in_[std::size_t(row) * std::size_t(columns_) + std::size_t(column)].push_back(std::int32_t(t));
    }
}

Vec2 CutFace::flat(Vec3 place) const
{
    const Vec3d p = place.as<double>() - point_;
    return {float(dot(u_, p)), float(dot(v_, p))};
}

std::array<int, 2> CutFace::cell_of(Vec2 p) const
{
    const auto index = [&](float at, float low, int count) {
        return int(std::clamp((at - low) / cell_, 0.0f, float(count - 1)));
    };
    return {index(p.x, low_.x, columns_), index(p.y, low_.y, rows_)};
}

CutFace::Spot CutFace::nearest(Vec3 place) const
{
    const Vec2 p = flat(place);
    const auto [column, row] = cell_of(p);
    Spot spot;
    float best = std::numeric_limits<float>::max();
    // Rings of cells around that of the place, until nothing nearer can follow.
    for (int ring = 0; ring <= std::max(columns_, rows_); ++ring) {
        const float reach = float(ring - 1) * cell_;
        if (spot.triangle >= 0 && (best == 0 || (ring > 0 && best <= reach * reach))) break;
        for (int y = std::max(0, row - ring); y <= std::min(rows_ - 1, row + ring); ++y)
            for (int x = std::max(0, column - ring); x <= std::min(columns_ - 1, column + ring); ++x) {
                if (std::max(std::abs(x - column), std::abs(y - row)) != ring) continue;
                for (const std::int32_t t : triangles_in_[std::size_t(y) * std::size_t(columns_) + std::size_t(x)]) {
                    const auto [found, distance2] = nearest_on(corners_[std::size_t(t)], p);
                    if (distance2 >= best) continue;
                    best = distance2;
                    spot = {t, found};
                }
            }
    }
    return spot;
}

}  // namespace yawara::cli
