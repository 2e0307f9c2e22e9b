// Cuts through closed surfaces are closed by what lies inside of them.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "yawara/section.h"

using namespace yawara;

namespace {

/// A ball of rings, outside in front; `inward`: turned round.
void add_ball(Vec3 center, float radius, bool inward, std::vector<Vec3>& positions, std::vector<Int3>& triangles)
{
    constexpr int kRings = 40, kSlices = 80;
    const auto first = std::int32_t(positions.size());
    for (int r = 0; r <= kRings; ++r)
        for (int s = 0; s < kSlices; ++s) {
            const double polar = std::numbers::pi * r / kRings, around = 2 * std::numbers::pi * s / kSlices;
            positions.push_back(center + Vec3{float(std::sin(polar) * std::sin(around)), float(std::cos(polar)),
                                              float(std::sin(polar) * std::cos(around))} *
                                             radius);
        }
    const auto at = [&](int r, int s) { return first + std::int32_t(r * kSlices + s % kSlices); };
    for (int r = 0; r < kRings; ++r)
        for (int s = 0; s < kSlices; ++s)
            for (Int3 t : {Int3{at(r, s), at(r + 1, s), at(r, s + 1)}, Int3{at(r, s + 1), at(r + 1, s), at(r + 1, s + 1)}}) {
                if (inward) std::swap(t[1], t[2]);
                triangles.push_back(t);
            }
}

double area(const std::vector<Vec3>& cap, const Plane& plane)
{
    double sum = 0;
    for (std::size_t k = 0; k + 2 < cap.size(); k += 3) {
        const Vec3d a = cap[k].as<double>(), b = cap[k + 1].as<double>(), c = cap[k + 2].as<double>();
        CHECK(std::abs(dot(a - plane.point, normalized(plane.normal))) < 1e-5);
        sum += 0.5 * dot(cross(b - a, c - a), normalized(plane.normal));
    }
    return sum;
}

}  // namespace

TEST_CASE("the cap of a cut is as large as what is inside, hollows left out, overlaps counted once")
{
    const double pi = std::numbers::pi;
    for (const Plane& plane : {Plane{{0.01, 0, 0}, {1, 0, 0}}, Plane{{0, 0.02, 0}, {0.3, 2, -0.4}}, Plane{{0, 0, 0.013}, {0, 0, -1}}}) {
        std::vector<Vec3> positions;
        std::vector<Int3> triangles;
        add_ball({}, 1, false, positions, triangles);
        CHECK(area(cap_of(triangles, positions, plane), plane) == doctest::Approx(pi).epsilon(0.01));
        add_ball({}, 0.5f, true, positions, triangles);
        CHECK(area(cap_of(triangles, positions, plane), plane) == doctest::Approx(0.75 * pi).epsilon(0.01));
    }
    const Plane plane{{0, 0, 0}, {0, 0, 1}};
    std::vector<Vec3> positions;
    std::vector<Int3> triangles;
    add_ball({0, 0, 0.003f}, 1, false, positions, triangles);
    add_ball({1, 0, 0.003f}, 1, false, positions, triangles);
    const double lens = 2 * pi / 3 - std::sqrt(3.0) / 2;  // of two circles whose middles are a radius apart
    CHECK(area(cap_of(triangles, positions, plane), plane) == doctest::Approx(2 * pi - lens).epsilon(0.01));
    CHECK(cap_of(triangles, positions, {{0, 0, 5}, {0, 0, 1}}).empty());
}
