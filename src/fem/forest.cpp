#include "fem/forest.h"

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "yawara/fem.h"

namespace yawara::fem {
namespace {

/// Diagonals of the inner octahedron in the order in which ties are decided: m02-m13, m01-m23, m03-m12.
constexpr int kDiagonals[3][2] = {{1, 4}, {0, 5}, {2, 3}};
constexpr double kTie = 1e-9;
constexpr int kMostLevels = 5;
constexpr double kMostTets = 2e7;

int shortest_diagonal(const std::array<std::int32_t, 6>& mid, std::span<const Vec3d> rest)
{
    int best = 0;
    double best_length = 0;
    for (int d = 0; d < 3; ++d) {
        const auto p = std::size_t(mid[std::size_t(kDiagonals[d][0])]),
                   q = std::size_t(mid[std::size_t(kDiagonals[d][1])]);
        const double l = length(rest[p] - rest[q]);
        if (d == 0 || l < best_length * (1 - kTie)) {
            best = d;
            best_length = l;
        }
    }
    return best;
}

struct EdgeUse {
    std::uint64_t key;
    std::int32_t tet, edge;
};

}  // namespace

Status check_size(const TetMesh& base, int levels)
{
    if (levels < 0 || levels > kMostLevels)
        return Error{"levels", std::to_string(levels) + " is outside 0.." + std::to_string(kMostLevels)};
    if (double(base.tets.size()) * std::pow(8.0, levels) > kMostTets)
        return Error{"levels", std::to_string(base.tets.size()) + " tets split " + std::to_string(levels) +
                                   " times are more than " + short_text(kMostTets)};
    return Done{};
}

TetForest::TetForest(const TetMesh& base, int levels)
{
    rest_ = base.vertices;
    nodes_.resize(rest_.size());
    edge_offsets_.assign(rest_.size(), 0);
    tets_ = base.tets;
    offsets_ = {0, std::int32_t(tets_.size())};
    for (int level = 0; level < levels; ++level) {
        const std::int32_t first = offsets_[std::size_t(level)], last = offsets_[std::size_t(level) + 1];
        // One midpoint for every edge, whoever shares it.
        std::vector<EdgeUse> uses;
        uses.reserve(6 * std::size_t(last - first));
        for (std::int32_t t = first; t < last; ++t)
            for (std::int32_t e = 0; e < 6; ++e) {
                const auto i = tets_[std::size_t(t)][std::size_t(kEdges[e][0])],
                           j = tets_[std::size_t(t)][std::size_t(kEdges[e][1])];
                uses.push_back({std::uint64_t(std::min(i, j)) << 32 | std::uint32_t(std::max(i, j)), t, e});
            }
        std::sort(uses.begin(), uses.end(), [](const EdgeUse& x, const EdgeUse& y) {
            return x.key != y.key ? x.key < y.key : x.tet != y.tet ? x.tet < y.tet : x.edge < y.edge;
        });
        midpoints_.resize(std::size_t(last));
        for (std::size_t k = 0; k < uses.size(); ++k) {
            if (k == 0 || uses[k].key != uses[k - 1].key) {
                const auto a = std::int32_t(uses[k].key >> 32), b = std::int32_t(uses[k].key & 0xffffffffu);
                nodes_.push_back({a, b, level + 1, 0});
                rest_.push_back((rest_[std::size_t(a)] + rest_[std::size_t(b)]) * 0.5);
                edge_offsets_.push_back(std::int32_t(edge_tets_.size()));
            }
            edge_tets_.push_back(uses[k].tet);
            ++nodes_.back().incident;
            midpoints_[std::size_t(uses[k].tet)][std::size_t(uses[k].edge)] = std::int32_t(nodes_.size() - 1);
        }
        tets_.reserve(tets_.size() + 8 * std::size_t(last - first));
        for (std::int32_t t = first; t < last; ++t) {
            const Int4 v = tets_[std::size_t(t)];
            const auto& m = midpoints_[std::size_t(t)];  // 01 02 03 12 13 23
            const auto add = [&](std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
                Int4 child{a, b, c, d};
                const auto p = [&](std::int32_t n) { return rest_[std::size_t(n)]; };
                if (dot(cross(p(b) - p(a), p(c) - p(a)), p(d) - p(a)) < 0) std::swap(child[2], child[3]);
                tets_.push_back(child);
            };
            add(v[0], m[0], m[1], m[2]);
            add(m[0], v[1], m[3], m[4]);
            add(m[1], m[3], v[2], m[5]);
            add(m[2], m[4], m[5], v[3]);
            const int d = shortest_diagonal(m, rest_);
            const int p = kDiagonals[d][0], q = kDiagonals[d][1];
            const int a = kDiagonals[(d + 1) % 3][0], a2 = kDiagonals[(d + 1) % 3][1];
            const int b = kDiagonals[(d + 2) % 3][0], b2 = kDiagonals[(d + 2) % 3][1];
            const auto at = [&](int e) { return m[std::size_t(e)]; };
            add(at(p), at(q), at(a), at(b));
            add(at(p), at(q), at(b), at(a2));
            add(at(p), at(q), at(a2), at(b2));
            add(at(p), at(q), at(b2), at(a));
        }
        offsets_.push_back(std::int32_t(tets_.size()));
    }
}

int TetForest::level_of(std::int32_t t) const
{
    int level = 0;
    while (t >= offsets_[std::size_t(level) + 1]) ++level;
    return level;
}

std::int32_t TetForest::parent(std::int32_t t) const
{
    const int level = level_of(t);
    return level == 0 ? -1 : first_of(level - 1) + (t - first_of(level)) / 8;
}

std::int32_t TetForest::base_of(std::int32_t t) const
{
    const int level = level_of(t);
    return (t - first_of(level)) >> (3 * level);
}

std::array<std::int32_t, 2> TetForest::finest_in(std::int32_t t) const
{
    const int level = level_of(t), below = levels() - level;
    const std::int32_t first = first_of(levels()) + ((t - first_of(level)) << (3 * below));
    return {first, first + (1 << (3 * below))};
}

std::array<Vec3d, 4> TetForest::corners(std::int32_t t) const
{
    const Int4& v = tet(t);
    return {rest_[std::size_t(v[0])], rest_[std::size_t(v[1])], rest_[std::size_t(v[2])], rest_[std::size_t(v[3])]};
}

TetMesh TetForest::finest() const
{
    TetMesh mesh;
    mesh.vertices = rest_;
    mesh.tets.assign(tets_.begin() + first_of(levels()), tets_.end());
    return mesh;
}

}  // namespace yawara::fem

namespace yawara {

std::vector<Vec3d> finest_centers(const TetMesh& mesh, int levels)
{
    const fem::TetForest forest(mesh, levels);
    std::vector<Vec3d> centers;
    for (std::int32_t t = forest.first_of(levels); t < std::int32_t(forest.tet_count()); ++t) {
        const auto p = forest.corners(t);
        centers.push_back((p[0] + p[1] + p[2] + p[3]) * 0.25);
    }
    return centers;
}

}  // namespace yawara
