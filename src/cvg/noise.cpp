#include "cvg/noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace yawara::cvg {
namespace {

std::uint32_t mixed(std::uint32_t v)
{
    v = (v ^ v >> 16) * 0x7feb352du;
    v = (v ^ v >> 15) * 0x846ca68bu;
    return v ^ v >> 16;
}

/// Product of the gradient at a lattice point, one of the twelve edges of a cube, and the way from there.
double slope(std::int64_t x, std::int64_t y, std::int64_t z, std::uint32_t seed, Vec3d way)
{
    const std::uint32_t h = mixed(std::uint32_t(x) + mixed(std::uint32_t(y) + mixed(std::uint32_t(z) + mixed(seed))));
    const std::uint32_t edge = h % 12, axis = edge / 4;
    const double a = axis == 0 ? way.y : way.x, b = axis == 2 ? way.y : way.z;
    return (edge & 1 ? a : -a) + (edge & 2 ? b : -b);
}

double fade(double t)
{
    return t * t * t * (t * (t * 6 - 15) + 10);
}

}  // namespace

double noise(Vec3d point, std::uint32_t seed)
{
    const Vec3d low{std::floor(point.x), std::floor(point.y), std::floor(point.z)}, t = point - low;
    const auto x = std::int64_t(low.x), y = std::int64_t(low.y), z = std::int64_t(low.z);
    const double u[3] = {fade(t.x), fade(t.y), fade(t.z)};
    double sum = 0;
    for (int k = 0; k < 8; ++k) {
        const int i = k & 1, j = k >> 1 & 1, l = k >> 2;
        const double weight = (i ? u[0] : 1 - u[0]) * (j ? u[1] : 1 - u[1]) * (l ? u[2] : 1 - u[2]);
        sum += weight * slope(x + i, y + j, z + l, seed, t - Vec3d{double(i), double(j), double(l)});
    }
    return sum;
}

double noise_level(double share, std::uint32_t seed)
{
    // Steps that no lattice repeats: every place within a cube of noise comes up alike.
    constexpr int kSamples = 4000;
    std::vector<double> values(kSamples);
    for (int k = 0; k < kSamples; ++k)
        values[std::size_t(k)] = noise(Vec3d{0.754877666, 0.569840291, 0.430159709} * (7.31 * k), seed);
    const auto rank =
        std::clamp(std::ptrdiff_t((1 - share) * kSamples), std::ptrdiff_t{0}, std::ptrdiff_t{kSamples - 1});
    std::nth_element(values.begin(), values.begin() + rank, values.end());
    return values[std::size_t(rank)];
}

}  // namespace yawara::cvg
