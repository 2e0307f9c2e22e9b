// Falls that no body may come out of longer than it was; shared by the short and the long test.
#pragma once

#include <algorithm>
#include <cmath>

#include "yawara/yawara.h"

namespace yawara::test {

inline BodyModel cube(double size, int cells = 5)
{
    BodySpec spec;
    spec.name = "cube";
    spec.solid = Matching{make_bar({size, size, size}, {cells, cells, cells})};
    return build(std::move(spec)).value();
}

/// A body by its largest extent.
struct Shape {
    const char* name;
    BodyModel (*make)(double size);
};
inline std::vector<Shape> shapes()
{
    const auto build_of = [](Domain domain) {
        BodySpec spec;
        spec.solid = Matching{std::move(domain)};
        return build(std::move(spec)).value();
    };
    static const auto of = build_of;
    return {{"cube", [](double size) { return cube(size); }},
            {"beam",
             [](double size) {
                 return of(make_bar({size, size / 8, size / 8}, {24, 3, 3}));
             }},
            {"plate",
             [](double size) {
                 return of(make_bar({size, size / 6, size}, {6, 1, 6}));
             }},
            {"lattice", [](double size) {
                 std::vector<Int3> cells;
                 for (int k = 0; k < 216; ++k) cells.push_back({k % 6, k / 6 % 6, k / 36});
                 return of(make_lattice({}, size / 6, cells));
             }}};
}

/// The largest extent along any of 62 directions.
template <class Points>
double longest_extent(const Points& points)
{
    double longest = 0;
    for (int a = -2; a <= 2; ++a)
        for (int b = -2; b <= 2; ++b)
            for (int c = 0; c <= 2; ++c) {
                const Vec3d axis{double(a), double(b), double(c)};
                if (length(axis) == 0) continue;
                double low = 1e300, high = -1e300;
                for (const auto& p : points) {
                    const double along = axis.x * double(p.x) + axis.y * double(p.y) + axis.z * double(p.z);
                    low = std::min(low, along);
                    high = std::max(high, along);
                }
                if (!(high - low <= longest * length(axis))) longest = (high - low) / length(axis);
            }
    return longest;
}

struct Fall {
    double longest = 0;      ///< extent in any step, over that at rest
    double most_energy = 0;  ///< of motion and height in any step, over that at the start
    double volume = 1;       ///< in the end, over that at rest
    StepReport last{};
};

/// A body of about this size hits a floor, askew, as fast as from a height of so many of its lengths; 0: it is put
/// there.
inline Fall drop(const BodyModel& model, double size, float young, double lengths, int frames = 0, int substeps = 5)
{
    constexpr double kGravity = 9.8;
    Scene scene({.dt = 1.0 / 60, .substeps = substeps, .gravity = {0, float(-kGravity), 0}, .threads = 1});
    scene.add(Collider{.shape = Plane{}, .friction = 0.5f});
    Placement placement;
    if (lengths > 0) placement.turn = Mat3d{{0.94, 0.34, 0}, {-0.34, 0.94, 0}, {0, 0, 1}};
    double low = 1e300;
    for (const Vec3d& p : model.rest_positions()) low = std::min(low, (placement.turn * p).y);
    const double gap = lengths > 0 ? 0.1 : 0;
    placement.move = {0, gap * size - low, 0};
    const double speed = std::sqrt(2 * kGravity * std::max(lengths - gap, 0.0) * size);
    BodySettings settings;
    settings.matching.young = young;
    const BodyId body = scene.add(model, settings, placement, {0, -speed, 0});
    const BodyState& state = scene.state(body);
    const auto energy = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < state.positions.size(); ++i) {
            const Vec3d v = state.velocities[i].as<double>();
            sum += model.masses()[i] * (0.5 * dot(v, v) + kGravity * double(state.positions[i].y));
        }
        return sum;
    };
    // Until it has come down and up again: a few times the time in which it passes its own length.
    if (frames == 0) frames = std::clamp(int(60 * (0.2 + 4 * size / speed)), 15, 240);
    const double start = energy(), rest = longest_extent(model.rest_positions());
    Fall fall;
    for (int step = 0; step < frames * substeps; ++step) {
        fall.last = scene.substep()[0];
        fall.longest = std::max(fall.longest, longest_extent(state.positions) / rest);
        fall.most_energy = std::max(fall.most_energy, energy() / start);
        if (!std::isfinite(fall.longest)) break;
    }
    fall.volume = double(scene.step()[0].shape.volume);
    return fall;
}

}  // namespace yawara::test
