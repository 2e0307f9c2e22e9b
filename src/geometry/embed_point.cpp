// Hanging points on tets and lattice cells; Embedding runs this once per point when it is built.
#include "geometry/embed_point.h"

#include <cmath>

#include "geometry/closest_point.h"

namespace yawara {
namespace {

std::size_t at(std::int32_t index)
{
    return static_cast<std::size_t>(index);
}

/// 0 below low, 1 above high, smooth between.
double smooth_step(double low, double high, double x)
{
    const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

std::array<Vec3d, 4> corners(const TetMesh& mesh, std::int32_t tet)
{
    const Int4& v = mesh.tets[at(tet)];
    return {mesh.vertices[at(v[0])], mesh.vertices[at(v[1])], mesh.vertices[at(v[2])], mesh.vertices[at(v[3])]};
}

/// Gradients of the barycentric coordinates, and six times the volume.
std::pair<std::array<Vec3d, 4>, double> tet_gradients(const std::array<Vec3d, 4>& x)
{
    const Vec3d a = x[1] - x[0], b = x[2] - x[0], c = x[3] - x[0];
    const double six_volumes = dot(a, cross(b, c));
    std::array<Vec3d, 4> g{{{}, cross(b, c) / six_volumes, cross(c, a) / six_volumes, cross(a, b) / six_volumes}};
    g[0] = -(g[1] + g[2] + g[3]);
    return {g, six_volumes};
}

std::array<double, 4> barycentric(const std::array<Vec3d, 4>& x, const std::array<Vec3d, 4>& gradients, Vec3d p)
{
    std::array<double, 4> w{0, dot(gradients[1], p - x[0]), dot(gradients[2], p - x[0]), dot(gradients[3], p - x[0])};
    w[0] = 1 - w[1] - w[2] - w[3];
    return w;
}

struct ClosestInTet {
    double distance2;
    Vec3d point;
    std::array<double, 4> weights;
};

ClosestInTet closest_in_tet(const std::array<Vec3d, 4>& x, const std::array<Vec3d, 4>& gradients, Vec3d p)
{
    const std::array<double, 4> inside = barycentric(x, gradients, p);
    if (std::min({inside[0], inside[1], inside[2], inside[3]}) >= 0) return {0, p, inside};
    ClosestInTet best{std::numeric_limits<double>::infinity(), {}, {}};
    for (std::size_t f = 0; f < 4; ++f) {  // the face opposite to corner f
        if (inside[f] >= 0) continue;
        const std::size_t a = (f + 1) % 4, b = (f + 2) % 4, c = (f + 3) % 4;
        const ClosestOnTriangle found = closest_on_triangle(x[a], x[b], x[c], p);
        const Vec3d difference = p - found.point;
        if (dot(difference, difference) < best.distance2) {
            best = {dot(difference, difference), found.point, {}};
            best.weights[a] = found.weights[0], best.weights[b] = found.weights[1], best.weights[c] = found.weights[2];
        }
    }
    return best;
}

}  // namespace

TetEmbedder::TetEmbedder(const TetMesh& solid) : solid_(solid)
{
    std::vector<Box3> boxes(solid.tets.size());
    for (std::size_t t = 0; t < boxes.size(); ++t) {
        for (const Vec3d& x : corners(solid, static_cast<std::int32_t>(t))) boxes[t].add(x);
    }
    tree_ = Bvh(boxes);
}

std::int32_t TetEmbedder::nearest(Vec3d p) const
{
    const auto distance2 = [&](std::int32_t tet) {
        const auto x = corners(solid_, tet);
        return closest_in_tet(x, tet_gradients(x).first, p).distance2;
    };
    return tree_.nearest(p, std::numeric_limits<double>::infinity(), distance2).first;
}

EmbeddingCell<4> TetEmbedder::cell(std::int32_t tet, Vec3d p) const
{
    const auto x = corners(solid_, tet);
    const auto [gradients, six_volumes] = tet_gradients(x);
    const ClosestInTet closest = closest_in_tet(x, gradients, p);
    return {solid_.tets[at(tet)], closest.weights, gradients, six_volumes / 6, closest.point};
}

LatticeEmbedder::LatticeEmbedder(const Lattice& solid) : solid_(solid)
{
    std::vector<Box3> boxes(solid.cells.size());
    for (std::size_t c = 0; c < boxes.size(); ++c)
        boxes[c] = {position(solid.cells[c][0]), position(solid.cells[c][7])};
    tree_ = Bvh(boxes);
}

std::int32_t LatticeEmbedder::nearest(Vec3d p) const
{
    const auto distance2 = [&](std::int32_t cell) {
        const Int8& corner = solid_.cells[at(cell)];
        return squared_distance(p, position(corner[0]), position(corner[7]));
    };
    return tree_.nearest(p, std::numeric_limits<double>::infinity(), distance2).first;
}

EmbeddingCell<8> LatticeEmbedder::cell(std::int32_t index, Vec3d p) const
{
    EmbeddingCell<8> out;
    out.particles = solid_.cells[at(index)];
    const Vec3d low = position(out.particles[0]);
    const Vec3d u = min(max((p - low) / solid_.cell, Vec3d{0, 0, 0}), Vec3d{1, 1, 1});
    out.closest = min(max(p, low), position(out.particles[7]));
    out.volume = solid_.cell * solid_.cell * solid_.cell;
    for (std::size_t k = 0; k < 8; ++k) {
        const bool x = k & 1, y = k & 2, z = k & 4;
        out.weights[k] = (x ? u.x : 1 - u.x) * (y ? u.y : 1 - u.y) * (z ? u.z : 1 - u.z);
        out.gradients[k] = Vec3d{x ? 1.0 : -1.0, y ? 1.0 : -1.0, z ? 1.0 : -1.0} / (4 * solid_.cell);
    }
    return out;
}

template <class Solid>
template <class Body>
PointEmbedder<Solid>::PointEmbedder(const Body& body)
    : solid_(body), first_around_(solid_.particle_count() + 1, 0), spacing_(solid_.particle_count(), 0)
{
    for (const auto& cell : solid_.cells()) {
        for (const std::int32_t v : cell) ++first_around_[at(v) + 1];
    }
    for (std::size_t v = 0; v + 1 < first_around_.size(); ++v) first_around_[v + 1] += first_around_[v];
    around_.resize(at(first_around_.back()));
    std::vector<std::int32_t> next(first_around_.begin(), first_around_.end() - 1);
    for (std::size_t c = 0; c < solid_.cells().size(); ++c) {
        const auto& cell = solid_.cells()[c];
        for (const std::int32_t v : cell) {
            around_[at(next[at(v)]++)] = static_cast<std::int32_t>(c);
            for (const std::int32_t other : cell)
                spacing_[at(v)] += length(solid_.position(v) - solid_.position(other));
        }
    }
    for (std::size_t v = 0; v < spacing_.size(); ++v) {
        const std::int32_t cells = first_around_[v + 1] - first_around_[v];
        if (cells > 0) spacing_[v] /= cells * double(Solid::kCorners - 1);
    }
}

template <class Solid>
std::span<const std::int32_t> PointEmbedder<Solid>::cells_around(std::int32_t particle) const
{
    return std::span(around_).subspan(at(first_around_[at(particle)]),
                                      at(first_around_[at(particle) + 1] - first_around_[at(particle)]));
}

/// The mean gradient of the cells around a particle, by volume, so that thin cells do not count.
template <class Solid>
void PointEmbedder<Solid>::add_gradient_around(std::int32_t particle, double share, Vec3d offset, Weights& out) const
{
    double volume = 0;
    const Vec3d x = solid_.position(particle);
    const std::size_t first = out.size();
    for (const std::int32_t c : cells_around(particle)) {
        const auto cell = solid_.cell(c, x);
        volume += cell.volume;
        for (std::size_t k = 0; k < Solid::kCorners; ++k) {
            out.emplace_back(cell.particles[k], cell.volume * dot(cell.gradients[k], offset));
        }
    }
    for (std::size_t k = first; k < out.size(); ++k) out[k].second *= share / volume;
}

template <class Solid>
double PointEmbedder<Solid>::embed_point(Vec3d p, Weights& out, Weights& closest) const
{
    out.clear();
    closest.clear();
    const std::int32_t nearest = is_finite(p) ? solid_.nearest(p) : -1;
    if (nearest < 0) return 0;
    const auto cell = solid_.cell(nearest, p);
    for (const std::int32_t v : cell.particles) {
        if (solid_.position(v) == p) {
            out.emplace_back(v, 1.0);
            return 0;
        }
    }

    const Vec3d offset = p - cell.closest;
    double spacing = 0, largest = 0;
    for (std::size_t k = 0; k < Solid::kCorners; ++k) {
        spacing += cell.weights[k] * spacing_[at(cell.particles[k])];
        largest = std::max(largest, std::abs(dot(cell.gradients[k], offset)));
    }
    if (length(offset) > 0.25 * spacing)
        for (std::size_t k = 0; k < Solid::kCorners; ++k) closest.emplace_back(cell.particles[k], cell.weights[k]);
    // Up to a twentieth of the spacing the cell alone is good enough, and four or eight particles are quick to apply.
    const double around = std::max(smooth_step(0.05, 0.25, length(offset) / spacing), smooth_step(0.25, 0.5, largest));
    for (std::size_t k = 0; k < Solid::kCorners; ++k) {
        out.emplace_back(cell.particles[k], cell.weights[k] + (1 - around) * dot(cell.gradients[k], offset));
    }
    if (around > 0) {
        for (std::size_t k = 0; k < Solid::kCorners; ++k) {
            const double share = around * cell.weights[k];
            if (share > 0) add_gradient_around(cell.particles[k], share, offset, out);
        }
    }
    return length(offset);
}

template class PointEmbedder<TetEmbedder>;
template class PointEmbedder<LatticeEmbedder>;
template PointEmbedder<TetEmbedder>::PointEmbedder(const TetMesh&);
template PointEmbedder<LatticeEmbedder>::PointEmbedder(const Lattice&);

}  // namespace yawara
