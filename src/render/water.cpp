#include "render/water.h"

#include <algorithm>
#include <cmath>

#include "render/shading_normals.h"

namespace yawara::drawing {
namespace {

constexpr float kIndex = 1.33f;                // of refraction
constexpr float kHeadOn = 0.02f;               // share that water mirrors of light straight from above
constexpr Vec3 kAbsorption{5.0f, 1.6f, 1.1f};  // in one distance from eye to target: any tub shows some colour
constexpr int kCells = 96;                     // across a box
constexpr double kFine = 1.0 / 64;             // side of a cell near the target of endless water, and
constexpr double kFineReach = 1.5, kReach = 9, kGrowth = 1.12;  // where it grows from, its end: all in those distances

/// Places of the grid's lines along one axis, both ends among them.
std::vector<double> even_lines(double from, double to, int cells)
{
    std::vector<double> lines;
    for (int k = 0; k <= cells; ++k) lines.push_back(from + (to - from) * k / cells);
    return lines;
}

std::vector<double> endless_lines(double middle, double distance)
{
    std::vector<double> side;
    for (double at = 0, step = kFine * distance; at < kReach * distance; at += step) {
        side.push_back(at);
        if (at > kFineReach * distance) step *= kGrowth;
    }
    std::vector<double> lines;
    for (std::size_t k = side.size(); k-- > 1;) lines.push_back(middle - side[k]);
    for (const double at : side) lines.push_back(middle + at);
    return lines;
}

Surface with_normals(Surface surface)
{
    surface.normals = shading_normals(surface.positions, surface.triangles);
    surface.positions.emplace_back();
    surface.colors.assign(1, kDeepWater);
    return surface;
}

Surface top_of(const DrawnWater& water, const std::vector<double>& xs, const std::vector<double>& zs)
{
    Surface top;
    for (const double z : zs)
        for (const double x : xs) {
            const double wave = water.wave ? water.wave(x, z) : 0;
            top.positions.push_back(Vec3d{x, water.level + (std::isfinite(wave) ? wave : 0), z}.as<float>());
        }
    const auto row = std::int32_t(xs.size());
    for (std::int32_t j = 0; j + 1 < std::int32_t(zs.size()); ++j)
        for (std::int32_t i = 0; i + 1 < row; ++i) {
            const std::int32_t a = j * row + i, b = a + 1, c = a + row, d = c + 1;
            top.triangles.push_back({a, c, b});
            top.triangles.push_back({b, c, d});
        }
    return top;
}

/// Walls from the rim of the top down to the bottom of the box.
Surface sides_of(const Surface& top, std::size_t columns, std::size_t rows, double bottom)
{
    std::vector<std::size_t> rim;  // once around, seen from above against the clock
    for (std::size_t j = 0; j + 1 < rows; ++j) rim.push_back(j * columns);
    for (std::size_t i = 0; i + 1 < columns; ++i) rim.push_back((rows - 1) * columns + i);
    for (std::size_t j = rows - 1; j > 0; --j) rim.push_back(j * columns + columns - 1);
    for (std::size_t i = columns - 1; i > 0; --i) rim.push_back(i);
    Surface sides;
    for (const std::size_t v : rim) {
        const Vec3 p = top.positions[v];
        sides.positions.push_back(p);
        sides.positions.push_back({p.x, std::min(p.y, float(bottom)), p.z});
    }
    const auto count = std::int32_t(sides.positions.size());
    for (std::int32_t a = 0; a < count; a += 2) {
        const std::int32_t b = (a + 2) % count;
        sides.triangles.push_back({a, a + 1, b});
        sides.triangles.push_back({b, a + 1, b + 1});
    }
    return sides;
}

}  // namespace

Result<WaterSurface> WaterSurface::build(const DrawnWater& water, const View& view)
{
    if (!std::isfinite(water.level)) return Error{"water.level", "is not a finite number"};
    if (water.box && !(is_finite(water.box->low) && is_finite(water.box->high) && !water.box->empty()))
        return Error{"water.box", "is not a finite box"};
    WaterSurface surface;
    surface.scale_ = view.distance;
    surface.endless_ = !water.box;
    if (water.box) {
        const int cells = water.wave ? kCells : 1;
        const Vec3d low = water.box->low, high = water.box->high;
        const Surface top = top_of(water, even_lines(low.x, high.x, cells), even_lines(low.z, high.z, cells));
        const auto lines = std::size_t(cells) + 1;
        surface.surfaces_.push_back(with_normals(sides_of(top, lines, lines, low.y)));
        surface.surfaces_.push_back(with_normals(top));
    } else {
        const Vec3 target = view.eye + view.forward * view.distance;
        surface.surfaces_.push_back(with_normals(
            top_of(water, endless_lines(target.x, view.distance), endless_lines(target.z, view.distance))));
    }
    auto rays = RayScene::build(surface.surfaces_);
    if (!rays) return rays.error();
    surface.rays_ = *std::move(rays);
    return surface;
}

std::optional<WaterEntry> WaterSurface::entry(const Ray& ray, const Hit& hit) const
{
    const Surface& surface = surfaces_[std::size_t(hit.surface)];
    WaterEntry entry;
    entry.normal = surface.normal(hit.triangle, hit.u, hit.v);
    const float facing = -dot(entry.normal, ray.direction);
    if (facing <= 0) return std::nullopt;
    entry.point = ray.origin + ray.direction * hit.distance;
    const float ratio = 1 / kIndex, inner = std::sqrt(1 - ratio * ratio * (1 - facing * facing));
    entry.onward = normalized(ray.direction * ratio + entry.normal * (ratio * facing - inner));
    const float grazing = 1 - facing;
    entry.mirrored = kHeadOn + (1 - kHeadOn) * grazing * grazing * grazing * grazing * grazing;
    return entry;
}

Vec3 WaterSurface::transmitted(float metres) const
{
    const Vec3 depth = kAbsorption * (-metres / scale_);
    return {std::exp(depth.x), std::exp(depth.y), std::exp(depth.z)};
}

}  // namespace yawara::drawing
