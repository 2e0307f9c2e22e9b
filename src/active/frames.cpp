#include "active/frames.h"

#include <algorithm>
#include <cmath>

#include "field/outward.h"

namespace yawara::muscles {
namespace {

/// v without its part along a unit vector, to unit length; zero if nothing is left.
Vec3d across(Vec3d v, Vec3d unit)
{
    const Vec3d rest = v - unit * dot(v, unit);
    return length(rest) > 1e-9 ? normalized(rest) : Vec3d{};
}

Vec3d any_across(Vec3d unit)
{
    const Vec3d size{std::abs(unit.x), std::abs(unit.y), std::abs(unit.z)};
    const Vec3d axis = size.x <= size.y && size.x <= size.z ? Vec3d{1, 0, 0} : size.y <= size.z ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1};
    return across(axis, unit);
}

/// What is known at a particle: zero vectors are unknown.
struct Known {
    Vec3d d1, d2;
    bool gradient_first = false;
};

/// The frame of what is known, completed by that of a neighbour.
Mat3d complete(const Known& known, const Mat3d& neighbour)
{
    const auto or_else = [](Vec3d a, Vec3d b) { return length(a) > 0 ? a : b; };
    Vec3d d1 = known.d1, d2 = known.d2;
    if (length(d2) > 0 && (known.gradient_first || length(d1) == 0)) {
        d1 = or_else(across(d1, d2), or_else(across(neighbour.c0, d2), any_across(d2)));
    } else {
        d1 = or_else(d1, neighbour.c0);
        d2 = or_else(across(d2, d1), or_else(across(neighbour.c1, d1), any_across(d1)));
    }
    if (dot(d1, neighbour.c0) < 0) d1 = -d1;
    if (length(known.d2) == 0 && dot(d2, neighbour.c1) < 0) d2 = -d2;
    return {d1, d2, cross(d1, d2)};
}

}  // namespace

void make_frames(std::span<const Vec3d> gradients, std::span<const field::Direction> directions,
                 const matching::Lists& links, ActiveFields& fields)
{
    const std::size_t n = directions.size();
    double steepest = 0;
    for (const Vec3d& g : gradients) steepest = std::max(steepest, length(g));
    fields.gradient_confidence.assign(n, 0);
    fields.stroke_confidence.assign(n, 0);
    fields.frames.assign(n, Mat3d{});
    std::vector<Known> known(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double steepness = steepest > 0 && i < gradients.size() ? length(gradients[i]) / steepest : 0;
        const double sg = field::confidence(steepness, 0.1, 0.1);
        Known& k = known[i];
        k.gradient_first = sg > 0.5;
        if (steepness > 1e-6) k.d2 = normalized(gradients[i]);
        double strength = directions[i].strength;
        if (strength > 0) k.d1 = directions[i].along;
        if (k.gradient_first && strength > 0) strength *= length(k.d1 - k.d2 * dot(k.d1, k.d2));
        const double sd = field::stroke_confidence(strength);
        fields.gradient_confidence[i] = sg;
        fields.stroke_confidence[i] = sd;
        if (sg == 0) k.d2 = {};
        if (sd == 0) k.d1 = {};
    }
    std::vector<double> sureness(n);
    for (std::size_t i = 0; i < n; ++i) sureness[i] = fields.gradient_confidence[i] + fields.stroke_confidence[i];
    field::walk_outward(sureness, links, [&](std::size_t i, std::int64_t from) {
        fields.frames[i] = complete(known[i], from < 0 ? Mat3d{} : fields.frames[std::size_t(from)]);
    });
}

}  // namespace yawara::muscles
