#include "active/frames.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "active/rbf.h"

namespace yawara::muscles {
namespace {

double smoothstep(double x)
{
    x = std::clamp(x, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

/// Midpoints and unit tangents, segments cut to about `spacing`; zero-length ones left out.
void sample_stroke(const Stroke& stroke, double spacing, std::vector<Vec3d>& points, std::vector<Vec3d>& tangents)
{
    for (std::size_t k = 1; k < stroke.points.size(); ++k) {
        const Vec3d a = stroke.points[k - 1], d = stroke.points[k] - a;
        const double size = length(d);
        if (!(size > 1e-12 * spacing)) continue;
        const int pieces = std::clamp(int(std::lround(size / spacing)), 1, 1000);
        for (int i = 0; i < pieces; ++i) {
            points.push_back(a + d * ((i + 0.5) / pieces));
            tangents.push_back(d / size);
        }
    }
}

Direction leading(const Eigen::RowVectorXd& m)
{
    Eigen::Matrix3d M;
    M << m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(M);
    const Eigen::Vector3d v = solver.eigenvectors().col(2);
    return {{v[0], v[1], v[2]}, std::clamp(solver.eigenvalues()[2] - solver.eigenvalues()[1], 0.0, 1.0)};
}

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

std::vector<Direction> stroke_directions(std::span<const Stroke> strokes, bool oriented, double spacing,
                                         std::span<const Vec3d> rest)
{
    std::vector<Vec3d> points, tangents;
    for (const Stroke& stroke : strokes) sample_stroke(stroke, spacing, points, tangents);
    std::vector<Direction> directions(rest.size());
    if (points.empty()) return directions;
    Eigen::MatrixXd values(Eigen::Index(points.size()), oriented ? 3 : 6);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const Vec3d t = tangents[k];
        if (oriented) values.row(Eigen::Index(k)) << t.x, t.y, t.z;
        else values.row(Eigen::Index(k)) << t.x * t.x, t.y * t.y, t.z * t.z, t.y * t.z, t.x * t.z, t.x * t.y;
    }
    const Rbf field(points, values, Kernel::r, Polynomial::constant);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Eigen::RowVectorXd m = field(rest[i]);
        if (oriented) {
            const Vec3d t{m[0], m[1], m[2]};
            directions[i] = {normalized(t), std::min(1.0, length(t))};
        } else {
            directions[i] = leading(m);
        }
    }
    return directions;
}

void make_frames(std::span<const Vec3d> gradients, std::span<const Direction> directions, const matching::Lists& links,
                 ActiveFields& fields)
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
        const double sg = smoothstep((steepness - 0.1) / 0.1);
        Known& k = known[i];
        k.gradient_first = sg > 0.5;
        if (steepness > 1e-6) k.d2 = normalized(gradients[i]);
        double strength = directions[i].strength;
        if (strength > 0) k.d1 = directions[i].along;
        if (k.gradient_first && strength > 0) strength *= length(k.d1 - k.d2 * dot(k.d1, k.d2));
        const double sd = smoothstep((strength - 0.05) / 0.15);
        fields.gradient_confidence[i] = sg;
        fields.stroke_confidence[i] = sd;
        if (sg == 0) k.d2 = {};
        if (sd == 0) k.d1 = {};
    }
    // Breadth first, from the particles that are surest of all.
    std::vector<std::size_t> seeds(n), open;
    for (std::size_t i = 0; i < n; ++i) seeds[i] = i;
    const auto sureness = [&](std::size_t i) { return fields.gradient_confidence[i] + fields.stroke_confidence[i]; };
    std::stable_sort(seeds.begin(), seeds.end(), [&](std::size_t a, std::size_t b) { return sureness(a) > sureness(b); });
    std::vector<bool> done(n, false);
    for (const std::size_t seed : seeds) {
        if (done[seed]) continue;
        done[seed] = true;
        fields.frames[seed] = complete(known[seed], Mat3d{});
        open.assign(1, seed);
        for (std::size_t next = 0; next < open.size(); ++next)
            for (const std::int32_t j : links[open[next]]) {
                const auto i = std::size_t(j);
                if (done[i]) continue;
                done[i] = true;
                fields.frames[i] = complete(known[i], fields.frames[open[next]]);
                open.push_back(i);
            }
    }
}

}  // namespace yawara::muscles
