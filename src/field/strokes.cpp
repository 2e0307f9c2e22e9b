#include "field/strokes.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "field/outward.h"
#include "field/rbf.h"

namespace yawara::field {
namespace {

/// Places of strokes, and the way they go there.
struct StrokeSamples {
    std::vector<Vec3d> points, tangents;
};

/// Midpoints and unit tangents, segments cut to about `spacing`; zero-length ones left out.
void sample_stroke(std::span<const Vec3d> line, double spacing, StrokeSamples& out)
{
    for (std::size_t k = 1; k < line.size(); ++k) {
        const Vec3d a = line[k - 1], d = line[k] - a;
        const double size = length(d);
        if (!(size > 1e-12 * spacing)) continue;
        const int pieces = std::clamp(int(std::lround(size / spacing)), 1, 1000);
        for (int i = 0; i < pieces; ++i) {
            out.points.push_back(a + d * ((i + 0.5) / pieces));
            out.tangents.push_back(d / size);
        }
    }
}

/// A stroke without the points that lie nearer than `spacing` to the last one that stays; its ends stay.
std::vector<Vec3d> thinned(std::span<const Vec3d> line, double spacing)
{
    std::vector<Vec3d> out;
    for (const Vec3d& p : line)
        if (out.empty() || length(p - out.back()) >= spacing) out.push_back(p);
    if (out.size() > 1 && length(line.back() - out.back()) < 0.5 * spacing) out.pop_back();
    if (!line.empty() && (out.empty() || out.back() != line.back())) out.push_back(line.back());
    return out;
}

/// One sample a segment. Of more than radial functions take at once, strokes keep what the particles can tell apart:
/// one sample a `spacing`.
StrokeSamples sample_strokes(const Strokes& strokes, double spacing)
{
    StrokeSamples all;
    for (const Stroke& stroke : strokes.lines) sample_stroke(stroke.points, spacing, all);
    if (all.points.size() <= Rbf::kMostCenters / 2) return all;
    StrokeSamples few;
    for (const Stroke& stroke : strokes.lines) sample_stroke(thinned(stroke.points, spacing), spacing, few);
    return few;
}

Direction leading(const Eigen::RowVectorXd& m)
{
    Eigen::Matrix3d M;
    M << m[0], m[5], m[4], m[5], m[1], m[3], m[4], m[3], m[2];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(M);
    const Eigen::Vector3d v = solver.eigenvectors().col(2);
    return {{v[0], v[1], v[2]}, std::clamp(solver.eigenvalues()[2] - solver.eigenvalues()[1], 0.0, 1.0)};
}

}  // namespace

Links::Links(const Domain& domain) : lists(std::visit([](const auto& d) { return matching::links(d); }, domain))
{
    const std::vector<Vec3d> rest = rest_positions(domain);
    for (std::size_t i = 0; i < lists.size(); ++i)
        for (const std::int32_t j : lists[i]) spacing += length(rest[std::size_t(j)] - rest[i]);
    spacing /= double(std::max<std::size_t>(1, lists.values.size()));
}

double confidence(double value, double least, double range)
{
    const double x = std::clamp((value - least) / range, 0.0, 1.0);
    return x * x * (3 - 2 * x);
}

std::vector<Direction> stroke_directions(const Strokes& strokes, double spacing, std::span<const Vec3d> rest)
{
    const bool oriented = strokes.oriented;
    const auto [points, tangents] = sample_strokes(strokes, spacing);
    std::vector<Direction> directions(rest.size());
    if (points.empty()) return directions;
    Eigen::MatrixXd values(Eigen::Index(points.size()), oriented ? 3 : 6);
    for (std::size_t k = 0; k < points.size(); ++k) {
        const Vec3d t = tangents[k];
        if (oriented)
            values.row(Eigen::Index(k)) << t.x, t.y, t.z;
        else
            values.row(Eigen::Index(k)) << t.x * t.x, t.y * t.y, t.z * t.z, t.y * t.z, t.x * t.z, t.x * t.y;
    }
    const Rbf field(points, values, Kernel::r, Polynomial::constant);
    const Eigen::MatrixXd found = field(rest);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        const Eigen::RowVectorXd m = found.row(Eigen::Index(i));
        if (oriented) {
            const Vec3d t{m[0], m[1], m[2]};
            directions[i] = {normalized(t), std::min(1.0, length(t))};
        } else {
            directions[i] = leading(m);
        }
    }
    return directions;
}

std::vector<Vec3d> completed(const std::vector<Direction>& directions, const matching::Lists& links)
{
    std::vector<double> sureness;
    for (const Direction& d : directions) sureness.push_back(stroke_confidence(d.strength));
    std::vector<Vec3d> out(directions.size());
    walk_outward(sureness, links, [&](std::size_t i, std::int64_t from) {
        const Vec3d neighbour = from < 0 ? Vec3d{1, 0, 0} : out[std::size_t(from)];
        const Vec3d d = sureness[i] > 0 ? directions[i].along : neighbour;
        out[i] = dot(d, neighbour) < 0 ? -d : d;
    });
    return out;
}

Result<std::vector<Direction>> sample_directions(const Field<Vec3d>& field, const FieldPlaces& places,
                                                 const Links& links, const FieldUse& use)
{
    if (const auto* strokes = std::get_if<Strokes>(&field.source())) {
        Strokes scaled = *strokes;
        for (std::size_t k = 0; k < scaled.lines.size(); ++k)
            for (Vec3d& p : scaled.lines[k].points) {
                p *= places.scale;
                if (!is_finite(p))
                    return Error{use.name, "stroke " + std::to_string(k) + " has a point that is not finite"};
            }
        return stroke_directions(scaled, links.spacing, rest_positions(places.domain));
    }
    const Result<std::vector<Vec3d>> values = sample(field, places, use);
    if (!values) return values.error();
    std::vector<Direction> directions;
    for (const Vec3d& d : *values) {
        const bool known = length(d) > 1e-9;
        directions.push_back({known ? normalized(d) : Vec3d{}, known ? 1.0 : 0.0});
    }
    return directions;
}

}  // namespace yawara::field
