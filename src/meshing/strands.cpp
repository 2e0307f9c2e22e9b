// Strands: samples of the surface that the tets leave out, the middle of the surface there by shrinking balls (Ma et
// al. 2012, "3D medial axis point approximation using nearest neighbors and the normal field"), and squeezing.
#include "meshing/strands.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>
#include <unordered_map>

#include "meshing/dihedral.h"

namespace yawara::meshing {
namespace {

// All in cells. A ball of kRadius holds a lattice point wherever it lies; as points near the surface are pulled on to
// it, some balls are missed and have to grow, at most to kLargest. Balls are laid until every sample is within kCovered
// of a centre. Samples within kAround of those left out get balls as well, so that strands hang on to what is thicker.
// Zero thickness becomes 2 kThinnest.
constexpr double kRadius = 0.6, kGrowth = 0.1, kLargest = 0.95, kCovered = 0.45, kAround = 1.25, kThinnest = 0.12,
                 kSpacing = 0.15, kStill = 0.01, kClear = 0.12;
constexpr double kSmallestAngle = 10;  ///< degrees: squeezing leaves dihedral angles above this
constexpr int kSweeps = 12;

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

using Bin = std::array<std::int64_t, 3>;

Bin bin_at(Vec3d point, double size)
{
    const Vec3d q = point / size;
    return {static_cast<std::int64_t>(std::floor(q.x)), static_cast<std::int64_t>(std::floor(q.y)),
            static_cast<std::int64_t>(std::floor(q.z))};
}

/// Shrinks a ball that touches the surface at `point`, on the side opposite to the normal, until nothing of the
/// surface is inside. Returns its radius, at most `most`.
double shrunk_radius(Vec3d point, Vec3d normal, const TriangleTree& tree, double most)
{
    double radius = most;
    for (int step = 0; step < 30; ++step) {
        const Vec3d center = point - normal * radius, q = tree.nearest(center);
        if (length(q - center) > 0.999 * radius) break;
        const Vec3d chord = point - q;
        const double along = 2 * dot(normal, chord);
        if (!(along > 0)) break;
        const double next = dot(chord, chord) / along;
        if (!(next < 0.999 * radius)) break;
        radius = next;
    }
    return radius;
}

/// Which of the samples lie within `reach` of one that is left out.
std::vector<char> around_those_left_out(const SurfaceSamples& samples, std::span<const double> left_out, double limit,
                                        double reach)
{
    std::vector<std::pair<Bin, std::size_t>> seeds;
    for (std::size_t i = 0; i < samples.points.size(); ++i) {
        if (left_out[i] > limit) seeds.emplace_back(bin_at(samples.points[i], reach), i);
    }
    std::sort(seeds.begin(), seeds.end());
    std::vector<char> around(samples.points.size(), 0);
    tbb::parallel_for(std::size_t(0), samples.points.size(), [&](std::size_t i) {
        const Bin middle = bin_at(samples.points[i], reach);
        for (std::int64_t z = -1; z <= 1 && !around[i]; ++z) {
            for (std::int64_t y = -1; y <= 1 && !around[i]; ++y) {
                for (std::int64_t x = -1; x <= 1 && !around[i]; ++x) {
                    const Bin bin{middle[0] + x, middle[1] + y, middle[2] + z};
                    auto it = std::lower_bound(seeds.begin(), seeds.end(), std::pair(bin, std::size_t(0)));
                    for (; it != seeds.end() && it->first == bin && !around[i]; ++it) {
                        around[i] = length(samples.points[it->second] - samples.points[i]) <= reach;
                    }
                }
            }
        }
    });
    return around;
}

/// Moves vertices of a tet mesh one at a time, so far that the tets around stay well shaped.
class Squeezer {
public:
    explicit Squeezer(TetMesh& mesh) : mesh_(mesh), first_(mesh.vertices.size() + 1, 0)
    {
        for (const Int4& tet : mesh.tets) {
            for (const std::int32_t v : tet) ++first_[index(v) + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        around_.resize(4 * mesh.tets.size());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
            for (const std::int32_t v : mesh.tets[t]) around_[next[index(v)]++] = t;
        }
    }

    /// Mean of the vertices that share a tet with this one.
    Vec3d mean_around(std::size_t vertex) const
    {
        Vec3d sum;
        double count = 0;
        for (const std::size_t t : tets_around(vertex)) {
            for (const std::int32_t v : mesh_.tets[t]) {
                if (index(v) == vertex) continue;
                sum += mesh_.vertices[index(v)];
                ++count;
            }
        }
        return count > 0 ? sum / count : mesh_.vertices[vertex];
    }

    /// As far towards the target as the tets allow.
    void move(std::size_t vertex, Vec3d target)
    {
        const Vec3d from = mesh_.vertices[vertex];
        const double limit = std::max(std::cos(kSmallestAngle * std::numbers::pi / 180), worst(vertex));
        for (const double share : {1.0, 0.5, 0.25}) {
            mesh_.vertices[vertex] = from + (target - from) * share;
            if (worst(vertex) <= limit) return;
        }
        mesh_.vertices[vertex] = from;
    }

private:
    std::span<const std::size_t> tets_around(std::size_t vertex) const
    {
        return std::span(around_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }
    /// Cosine of the smallest dihedral angle around a vertex; 2 if a tet is turned over.
    double worst(std::size_t vertex) const
    {
        double largest = -1;
        for (const std::size_t t : tets_around(vertex)) {
            const Int4& v = mesh_.tets[t];
            const Vec3d a = mesh_.vertices[index(v[0])], b = mesh_.vertices[index(v[1])],
                        c = mesh_.vertices[index(v[2])], d = mesh_.vertices[index(v[3])];
            if (!(dot(b - a, cross(c - a, d - a)) > 0)) return 2;
            largest = std::max(largest, cosine_of_smallest_dihedral(a, b, c, d));
        }
        return largest;
    }

    TetMesh& mesh_;
    std::vector<std::size_t> first_, around_;  ///< tets around each vertex
};

}  // namespace

SurfaceSamples sample_surface(const Surface& surface, double spacing)
{
    SurfaceSamples samples;
    std::vector<std::int32_t> piece;
    connected_parts(surface.triangles, surface.vertices.size(), &piece);
    std::set<std::array<std::int64_t, 4>> seen;  // where triangles are small: one for each bin and octant of normals
    for (const Int3& t : surface.triangles) {
        const Vec3d a = surface.vertices[index(t[0])], b = surface.vertices[index(t[1])],
                    c = surface.vertices[index(t[2])];
        const Vec3d normal = normalized(cross(b - a, c - a));
        const double longest = std::max({length(b - a), length(c - b), length(a - c)});
        const int steps = static_cast<int>(std::clamp(std::ceil(longest / spacing), 1.0, 2000.0));
        const std::int64_t octant = (normal.x > 0 ? 1 : 0) + (normal.y > 0 ? 2 : 0) + (normal.z > 0 ? 4 : 0);
        for (int i = 0; i < steps; ++i) {
            for (int j = 0; i + j < steps; ++j) {
                const Vec3d p = a + (b - a) * ((i + 1.0 / 3) / steps) + (c - a) * ((j + 1.0 / 3) / steps);
                const Bin bin = bin_at(p - surface.box.low, 0.5 * spacing);
                if (!seen.insert({bin[0], bin[1], bin[2], octant}).second) continue;
                samples.points.push_back(p);
                samples.normals.push_back(normal);
                samples.pieces.push_back(piece[index(t[0])]);
            }
        }
    }
    return samples;
}

std::vector<double> distances_outside(std::span<const Vec3d> points, const TetMesh& mesh, double smallest)
{
    const TriMesh outer = boundary_surface(mesh);
    const TriangleTree tree(outer.vertices, outer.triangles);
    std::vector<double> distances(points.size());
    tbb::parallel_for(std::size_t(0), points.size(), [&](std::size_t i) {
        const double distance = tree.distance(points[i]);
        distances[i] = distance < smallest || tree.winding(points[i]) > 0.5 ? 0.0 : distance;
    });
    return distances;
}

std::vector<Vec3d> torn_off(const TetMesh& mesh, const SurfaceSamples& samples, double cell)
{
    std::vector<std::int32_t> part, vertex_of;
    const int parts = connected_parts(mesh.tets, mesh.vertices.size(), &part);
    if (parts < 2) return {};
    boundary_surface(mesh, &vertex_of);
    std::vector<std::pair<Bin, std::int32_t>> outer;
    for (const std::int32_t v : vertex_of) outer.emplace_back(bin_at(mesh.vertices[index(v)], cell), v);
    std::sort(outer.begin(), outer.end());
    // The nearest part of each sample, and the largest part that a piece of the surface is nearest to.
    std::vector<std::int32_t> size(index(parts), 0), nearest(samples.points.size(), -1);
    for (const std::int32_t p : part) ++size[index(p)];
    std::unordered_map<std::int32_t, std::int32_t> home;
    for (std::size_t i = 0; i < samples.points.size(); ++i) {
        const Bin middle = bin_at(samples.points[i], cell);
        double best = cell;
        for (std::int64_t k = 0; k < 27; ++k) {
            const Bin bin{middle[0] + k % 3 - 1, middle[1] + k / 3 % 3 - 1, middle[2] + k / 9 - 1};
            auto it = std::lower_bound(outer.begin(), outer.end(), std::pair(bin, std::int32_t(0)));
            for (; it != outer.end() && it->first == bin; ++it) {
                const double distance = length(mesh.vertices[index(it->second)] - samples.points[i]);
                if (distance < best) best = distance, nearest[i] = part[index(it->second)];
            }
        }
        if (nearest[i] < 0) continue;
        std::int32_t& largest = home.emplace(samples.pieces[i], nearest[i]).first->second;
        if (size[index(nearest[i])] > size[index(largest)]) largest = nearest[i];
    }
    std::vector<char> torn(index(parts), 0);
    for (std::size_t i = 0; i < samples.points.size(); ++i) {
        if (nearest[i] >= 0 && nearest[i] != home[samples.pieces[i]]) torn[index(nearest[i])] = 1;
    }
    std::vector<Vec3d> points;
    for (const std::int32_t v : vertex_of) {
        if (torn[index(part[index(v)])]) points.push_back(mesh.vertices[index(v)]);
    }
    return points;
}

void clear_gaps(TetMesh& mesh, const TriangleTree& tree, const std::function<bool(Vec3d)>& inside, double cell)
{
    std::vector<char> empty(mesh.tets.size(), 0);
    tbb::parallel_for(std::size_t(0), mesh.tets.size(), [&](std::size_t t) {
        const Int4& v = mesh.tets[t];
        const Vec3d middle = (mesh.vertices[index(v[0])] + mesh.vertices[index(v[1])] + mesh.vertices[index(v[2])] +
                              mesh.vertices[index(v[3])]) /
                             4.0;
        empty[t] = tree.distance(middle) > kClear * cell && !inside(middle);
    });
    std::vector<Int4> kept;
    for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
        if (!empty[t]) kept.push_back(mesh.tets[t]);
    }
    mesh.tets = std::move(kept);
    std::vector<std::int32_t> moved(mesh.vertices.size(), -1);
    for (const Int4& tet : mesh.tets) {
        for (const std::int32_t v : tet) moved[index(v)] = 0;
    }
    std::vector<Vec3d> vertices;
    for (std::size_t v = 0; v < moved.size(); ++v) {
        if (moved[v] < 0) continue;
        moved[v] = static_cast<std::int32_t>(vertices.size());
        vertices.push_back(mesh.vertices[v]);
    }
    mesh.vertices = std::move(vertices);
    for (Int4& tet : mesh.tets) {
        for (std::int32_t& v : tet) v = moved[index(v)];
    }
}

void reach_out(TetMesh& mesh, const SurfaceSamples& samples, double allowed)
{
    constexpr int kRounds = 3;
    for (int round = 0; round < kRounds; ++round) {
        const std::vector<double> left_out = distances_outside(samples.points, mesh, allowed);
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < left_out.size(); ++i) {
            if (left_out[i] > allowed) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return left_out[a] > left_out[b]; });
        std::vector<std::int32_t> vertex_of;
        boundary_surface(mesh, &vertex_of);
        if (vertex_of.empty()) return;
        std::vector<char> moved(mesh.vertices.size(), 0);
        Squeezer squeezer(mesh);
        for (const std::size_t i : order) {  // the farthest first; what it moves, no other sample of this round does
            const Vec3d sample = samples.points[i];
            const auto closer = [&](std::int32_t a, std::int32_t b) {
                return length(mesh.vertices[index(a)] - sample) < length(mesh.vertices[index(b)] - sample);
            };
            const auto nearest = index(*std::min_element(vertex_of.begin(), vertex_of.end(), closer));
            if (moved[nearest]) continue;
            moved[nearest] = 1;
            squeezer.move(nearest, sample);
        }
    }
}

void swell(TetMesh& mesh, double target, double farthest)
{
    constexpr int kRounds = 8;
    constexpr double kClose = 0.003;  // share of the volume
    std::vector<std::int32_t> vertex_of;
    const TriMesh outer = boundary_surface(mesh, &vertex_of);
    const std::vector<Vec3d> before = mesh.vertices;
    Squeezer squeezer(mesh);
    for (int round = 0; round < kRounds; ++round) {
        const double missing = target - volume(mesh);
        if (std::abs(missing) < kClose * target) return;
        std::vector<Vec3d> normals(outer.vertices.size());
        double area = 0;
        for (const Int3& t : outer.triangles) {
            const auto corner = [&](std::size_t k) { return mesh.vertices[index(vertex_of[index(t[k])])]; };
            const Vec3d normal = cross(corner(1) - corner(0), corner(2) - corner(0)) * 0.5;
            for (const std::int32_t v : t) normals[index(v)] += normal;
            area += length(normal);
        }
        for (std::size_t k = 0; k < normals.size(); ++k) {
            const std::size_t v = index(vertex_of[k]);
            if (!(length(normals[k]) > 0)) continue;
            const Vec3d wanted = mesh.vertices[v] + normalized(normals[k]) * (missing / area);
            if (length(wanted - before[v]) < farthest) squeezer.move(v, wanted);
        }
    }
}

Strands::Strands(const SurfaceSamples& samples, std::span<const double> left_out, const TriangleTree& tree,
                 bool watertight, double cell)
    : cell_(cell)
{
    const std::vector<char> wanted = around_those_left_out(samples, left_out, kLeftOut * cell, kAround * cell);
    struct Candidate {
        Ball ball;
        Vec3d sample;
        bool used = false;
    };
    std::vector<Candidate> candidates(samples.points.size());
    const double most = kRadius * cell;
    tbb::parallel_for(std::size_t(0), samples.points.size(), [&](std::size_t i) {
        if (!wanted[i]) return;
        const Vec3d p = samples.points[i], n = samples.normals[i];
        const double behind = shrunk_radius(p, n, tree, most);
        const double before = watertight ? most : shrunk_radius(p, -n, tree, most);
        const bool thin = std::min(behind, before)<most, lost = left_out[i]> kLeftOut * cell;
        if (!thin && !lost) return;
        candidates[i] = {{behind <= before ? p - n * behind : p + n * before, std::min(behind, before), most}, p, true};
        if (!thin && !watertight) candidates[i].ball = {p, 0, most};  // a sheet with nothing behind it
    });
    std::erase_if(candidates, [](const Candidate& c) { return !c.used; });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.ball.depth > b.ball.depth; });
    for (const Candidate& c : candidates) {
        bool covered = false;
        for (const std::int32_t i : near(c.sample)) {
            covered = covered || length(balls_[index(i)].center - c.sample) < kCovered * cell;
        }
        if (!covered || length(c.sample - c.ball.center) >= kCovered * cell) add(c.ball);
    }
}

Strands::Bin Strands::bin_of(Vec3d point) const
{
    return bin_at(point, cell_);
}

void Strands::add(const Ball& ball)
{
    for (const std::int32_t i : near(ball.center)) {
        if (length(balls_[index(i)].center - ball.center) < kSpacing * cell_) return;
    }
    const auto [x, y, z] = bin_of(ball.center);
    for (std::int64_t k = 0; k < 27; ++k) {
        bins_[Bin{x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1}].push_back(static_cast<std::int32_t>(balls_.size()));
    }
    balls_.push_back(ball);
}

std::span<const std::int32_t> Strands::near(Vec3d point) const
{
    const auto found = bins_.find(bin_of(point));
    return found == bins_.end() ? std::span<const std::int32_t>() : std::span(found->second);
}

const Strands::Ball* Strands::nearest(Vec3d point) const
{
    const Ball* best = nullptr;
    for (const std::int32_t i : near(point)) {
        const Ball& ball = balls_[index(i)];
        if (!best || length(ball.center - point) < length(best->center - point)) best = &ball;
    }
    return best;
}

int Strands::count() const
{
    std::vector<char> seen(balls_.size(), 0);
    std::vector<std::int32_t> open;
    int strands = 0;
    for (std::size_t seed = 0; seed < balls_.size(); ++seed) {
        if (seen[seed]) continue;
        ++strands;
        open.assign(1, static_cast<std::int32_t>(seed));
        seen[seed] = 1;
        while (!open.empty()) {
            const Vec3d center = balls_[index(open.back())].center;
            open.pop_back();
            for (const std::int32_t i : near(center)) {
                if (seen[index(i)] || length(balls_[index(i)].center - center) > cell_) continue;
                seen[index(i)] = 1;
                open.push_back(i);
            }
        }
    }
    return strands;
}

Box3 Strands::bounds() const
{
    Box3 box;
    for (const Ball& ball : balls_) {
        const Vec3d reach = Vec3d{1, 1, 1} * ball.radius;
        box.add(ball.center - reach);
        box.add(ball.center + reach);
    }
    return box;
}

double Strands::operator()(Vec3d point) const
{
    double least = (1 - kLargest) * cell_;  // balls farther than a cell away are not looked at
    for (const std::int32_t i : near(point)) {
        const Ball& ball = balls_[index(i)];
        least = std::min(least, length(ball.center - point) - ball.radius);
    }
    return least;
}

bool Strands::grow_near(std::span<const Vec3d> points)
{
    std::vector<char> missed(balls_.size(), 0);
    for (const Vec3d& p : points) {
        for (const std::int32_t i : near(p)) {
            if (length(balls_[index(i)].center - p) < cell_) missed[index(i)] = 1;
        }
    }
    bool grown = false;
    for (std::size_t i = 0; i < balls_.size(); ++i) {
        if (!missed[i] || balls_[i].radius + kGrowth * cell_ > kLargest * cell_) continue;
        balls_[i].radius += kGrowth * cell_;
        grown = true;
    }
    return grown;
}

double Strands::squeeze(TetMesh& mesh, const TriangleTree& tree, const std::function<bool(Vec3d)>& inside) const
{
    std::vector<std::int32_t> vertex_of;
    boundary_surface(mesh, &vertex_of);
    std::vector<char> outer(mesh.vertices.size(), 0);
    for (const std::int32_t v : vertex_of) outer[index(v)] = 1;
    std::vector<std::size_t> moving;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
        if ((*this)(mesh.vertices[v]) < 0.02 * cell_ && !(outer[v] && inside(mesh.vertices[v]))) moving.push_back(v);
    }
    // How far a vertex on the outside is from where it should be.
    const auto target_of = [&](std::size_t v) {
        const Vec3d p = mesh.vertices[v], q = tree.nearest(p);
        const Ball* ball = nearest(p);
        const double kept = std::max(0.0, kThinnest * cell_ - (ball ? ball->depth : kRadius * cell_));
        const double distance = length(p - q);
        return distance > kept ? q + (p - q) * (kept / distance) : p;
    };
    Squeezer squeezer(mesh);
    std::vector<std::size_t> left = moving;
    for (int sweep = 0; sweep < kSweeps && !left.empty(); ++sweep) {
        std::erase_if(left, [&](std::size_t v) {
            const Vec3d from = mesh.vertices[v];
            if (outer[v] && inside(from)) return true;
            squeezer.move(v, outer[v] ? target_of(v) : squeezer.mean_around(v));
            return sweep > 2 && length(mesh.vertices[v] - from) < kStill * cell_;
        });
    }
    double farthest = 0;
    for (const std::size_t v : moving) {
        if (outer[v] && !inside(mesh.vertices[v])) farthest = std::max(farthest, tree.distance(mesh.vertices[v]));
    }
    return farthest;
}

}  // namespace yawara::meshing
