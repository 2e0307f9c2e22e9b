// Filling the grid row by row: each node tells the next how far to look, and its sign where no surface lies between.
#include "contact/distance_grid.h"

#include <algorithm>
#include <limits>

#include "core/parallel.h"

namespace yawara::contact {
namespace {

constexpr double kCells = 60;  // along the longest side: quick to fill, and exact queries take over near the surface

}  // namespace

DistanceGrid::DistanceGrid(const Box3& box, const Distance& distance, const IsSolid& is_solid)
{
    const Vec3d size = box.size();
    cell_ = std::max({size.x, size.y, size.z}) / kCells;
    const Vec3d margin = Vec3d{1, 1, 1} * (kMargin * cell_);
    low_ = box.low - margin;
    for (int axis = 0; axis < 3; ++axis) {
        const int cells = static_cast<int>(std::ceil(size[axis] / cell_)) + 2 * kMargin;
        nodes_[static_cast<std::size_t>(axis)] = cells + 1;
        high_[axis] = low_[axis] + cells * cell_;
    }
    const auto [nx, ny, nz] = nodes_;
    values_.resize(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz));
    triangles_.resize(values_.size());
    for_each_chunk(static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz), 16,
                   [&](std::size_t, std::size_t first, std::size_t last) {
                       for (std::size_t row = first; row < last; ++row) {
                           fill_row(static_cast<int>(row) % nodes_[1], static_cast<int>(row) / nodes_[1], distance,
                                    is_solid);
                       }
                   });
}

void DistanceGrid::fill_row(int y, int z, const Distance& distance, const IsSolid& is_solid)
{
    const std::size_t row =
        static_cast<std::size_t>(nodes_[0]) *
        (static_cast<std::size_t>(y) + static_cast<std::size_t>(nodes_[1]) * static_cast<std::size_t>(z));
    Nearest before{std::numeric_limits<double>::infinity(), -1};
    bool solid = false;
    for (int x = 0; x < nodes_[0]; ++x) {
        const Vec3d p = low_ + Vec3d{double(x), double(y), double(z)} * cell_;
        const Nearest here = distance(p, before.triangle);
        const bool crossing =
            before.distance + here.distance <= cell_ * (1 + 2 * kTolerance);  // else no surface fits between
        if (x == 0 || crossing) solid = is_solid(p);
        values_[row + static_cast<std::size_t>(x)] = static_cast<float>(solid ? -here.distance : here.distance);
        triangles_[row + static_cast<std::size_t>(x)] = here.triangle;
        before = here;
    }
}

Vec3d DistanceGrid::outside(Vec3d p) const
{
    return p - min(max(p, low_), high_);
}

DistanceGrid::Value DistanceGrid::at(Vec3d p) const
{
    std::array<std::size_t, 3> index;
    Vec3d u;
    for (int axis = 0; axis < 3; ++axis) {
        const auto k = static_cast<std::size_t>(axis);
        const double g = (p[axis] - low_[axis]) / cell_;
        index[k] = static_cast<std::size_t>(std::clamp(static_cast<int>(g), 0, nodes_[k] - 2));
        u[axis] = g - double(index[k]);
    }
    const auto row = static_cast<std::size_t>(nodes_[0]), layer = row * static_cast<std::size_t>(nodes_[1]);
    const std::size_t corner = index[0] + row * index[1] + layer * index[2];
    const float* v = &values_[corner];
    const auto mix = [](double a, double b, double t) { return a + (b - a) * t; };
    // Pairs along x, then along y, then along z, with the slopes beside them.
    const double x00 = mix(v[0], v[1], u.x), x10 = mix(v[row], v[row + 1], u.x);
    const double x01 = mix(v[layer], v[layer + 1], u.x), x11 = mix(v[layer + row], v[layer + row + 1], u.x);
    const double y0 = mix(x00, x10, u.y), y1 = mix(x01, x11, u.y);
    const Vec3d slope{mix(mix(v[1] - v[0], v[row + 1] - v[row], u.y),
                          mix(v[layer + 1] - v[layer], v[layer + row + 1] - v[layer + row], u.y), u.z),
                      mix(x10 - x00, x11 - x01, u.z), y1 - y0};
    const std::size_t nearest = corner + (u.x > 0.5 ? 1 : 0) + (u.y > 0.5 ? row : 0) + (u.z > 0.5 ? layer : 0);
    return {mix(y0, y1, u.z), slope / cell_, triangles_[nearest]};
}

}  // namespace yawara::contact
