#include "field/geodesic.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <array>
#include <limits>

namespace yawara::field {
namespace {

using Matrix = Eigen::SparseMatrix<double>;

/// A tet as finite elements see it.
struct Element {
    Int4 corners;
    std::array<Vec3d, 4> gradients;  ///< of the weights
    double volume;
};

std::vector<Element> elements_of(const TetMesh& solid)
{
    std::vector<Element> elements;
    for (const Int4& tet : solid.tets) {
        const auto at = [&](std::size_t k) { return solid.vertices[std::size_t(tet[k])]; };
        const Vec3d a = at(1) - at(0), b = at(2) - at(0), c = at(3) - at(0);
        const double six = dot(a, cross(b, c));
        if (!(six > 0)) continue;
        Element e{tet, {}, six / 6};
        e.gradients[1] = cross(b, c) / six;
        e.gradients[2] = cross(c, a) / six;
        e.gradients[3] = cross(a, b) / six;
        e.gradients[0] = -(e.gradients[1] + e.gradients[2] + e.gradients[3]);
        elements.push_back(e);
    }
    return elements;
}

std::size_t nearest_vertex(const TetMesh& solid, Vec3d p)
{
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < solid.vertices.size(); ++i)
        if (length(solid.vertices[i] - p) < length(solid.vertices[nearest] - p)) nearest = i;
    return nearest;
}

}  // namespace

std::vector<std::vector<double>> ways_through(const TetMesh& solid, std::span<const Vec3d> sources)
{
    const auto n = Eigen::Index(solid.vertices.size());
    const std::vector<Element> elements = elements_of(solid);
    std::vector<Eigen::Triplet<double>> stiffness, heat;
    double edges = 0;
    for (const Element& e : elements)
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = 0; b < 4; ++b) {
                stiffness.emplace_back(e.corners[a], e.corners[b], dot(e.gradients[a], e.gradients[b]) * e.volume);
                if (a < b)
                    edges +=
                        length(solid.vertices[std::size_t(e.corners[a])] - solid.vertices[std::size_t(e.corners[b])]) /
                        (6 * double(elements.size()));
            }
    // Heat spreads for as long as it needs to cross a mean edge.
    heat = stiffness;
    for (auto& entry : heat) entry = {entry.row(), entry.col(), entry.value() * edges * edges};
    double largest = 0;
    for (const auto& entry : stiffness) largest = std::max(largest, std::abs(entry.value()));
    for (const Element& e : elements)
        for (const std::int32_t v : e.corners) heat.emplace_back(v, v, e.volume / 4);
    for (Eigen::Index i = 0; i < n; ++i) {  // constants are free, and so are vertices of no tet
        stiffness.emplace_back(i, i, 1e-9 * largest);
        heat.emplace_back(i, i, 1e-30);
    }
    Matrix A(n, n), L(n, n);
    A.setFromTriplets(heat.begin(), heat.end());
    L.setFromTriplets(stiffness.begin(), stiffness.end());
    const Eigen::SimplicialLDLT<Matrix> spread(A), rebuild(L);

    std::vector<std::int32_t> part;
    connected_parts(solid.tets, solid.vertices.size(), &part);
    std::vector<std::vector<double>> out;
    for (const Vec3d& source : sources) {
        const std::size_t from = nearest_vertex(solid, source);
        Eigen::VectorXd start = Eigen::VectorXd::Zero(n), divergence = Eigen::VectorXd::Zero(n);
        start[Eigen::Index(from)] = 1;
        const Eigen::VectorXd warm = spread.solve(start);
        for (const Element& e : elements) {
            // Far away the heat is hardly more than nothing: only ratios count.
            double most = 0;
            for (const std::int32_t v : e.corners) most = std::max(most, std::abs(warm[v]));
            if (!(most > 0)) continue;
            Vec3d slope;
            for (std::size_t a = 0; a < 4; ++a) slope += e.gradients[a] * (warm[e.corners[a]] / most);
            if (!(length(slope) > 0)) continue;
            const Vec3d away = -normalized(slope);
            for (std::size_t a = 0; a < 4; ++a) divergence[e.corners[a]] += dot(e.gradients[a], away) * e.volume;
        }
        const Eigen::VectorXd distance = rebuild.solve(divergence);
        std::vector<double> found(solid.vertices.size(), std::numeric_limits<double>::infinity());
        for (std::size_t i = 0; i < found.size(); ++i)
            if (part[i] == part[from])
                found[i] = std::max(0.0, distance[Eigen::Index(i)] - distance[Eigen::Index(from)]);
        out.push_back(std::move(found));
    }
    return out;
}

}  // namespace yawara::field
