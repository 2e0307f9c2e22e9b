// Linear finite elements on tets; on a lattice, links along the axes weighted by how many cells share them.
#include "field/harmonic.h"

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <limits>
#include <numeric>

namespace yawara::field {
namespace {

using Triplets = std::vector<Eigen::Triplet<double>>;

void add_link(Triplets& entries, std::int32_t i, std::int32_t j, double weight)
{
    entries.emplace_back(i, i, weight);
    entries.emplace_back(j, j, weight);
    entries.emplace_back(i, j, -weight);
    entries.emplace_back(j, i, -weight);
}

Triplets stiffness(const TetMesh& mesh)
{
    Triplets entries;
    for (const Int4& tet : mesh.tets) {
        Vec3d p[4], g[4];
        for (std::size_t k = 0; k < 4; ++k) p[k] = mesh.vertices[std::size_t(tet[k])];
        const double six_volumes = dot(p[1] - p[0], cross(p[2] - p[0], p[3] - p[0]));
        g[1] = cross(p[2] - p[0], p[3] - p[0]) / six_volumes;
        g[2] = cross(p[3] - p[0], p[1] - p[0]) / six_volumes;
        g[3] = cross(p[1] - p[0], p[2] - p[0]) / six_volumes;
        g[0] = -(g[1] + g[2] + g[3]);
        for (std::size_t a = 0; a < 4; ++a)
            for (std::size_t b = a + 1; b < 4; ++b)
                add_link(entries, tet[a], tet[b], -dot(g[a], g[b]) * six_volumes / 6);
    }
    return entries;
}

Triplets stiffness(const Lattice& lattice)
{
    Triplets entries;
    for (const Int8& cell : lattice.cells)
        for (std::size_t a = 0; a < 8; ++a)
            for (const std::size_t bit : {1u, 2u, 4u})
                if (!(a & bit)) add_link(entries, cell[a], cell[a | bit], 0.25);
    return entries;
}

std::size_t count(const TetMesh& mesh)
{
    return mesh.vertices.size();
}
std::size_t count(const Lattice& lattice)
{
    return lattice.nodes.size();
}
Vec3d position(const TetMesh& mesh, std::size_t i)
{
    return mesh.vertices[i];
}
Vec3d position(const Lattice& lattice, std::size_t i)
{
    return lattice.position(int(i));
}

/// Unknown particles get the harmonic values between the known ones; parts without any get the mean of all.
template <class Solid>
void fill(const Solid& solid, std::span<const char> known, double mean, std::span<double> field)
{
    const std::size_t n = count(solid);
    // A little of the mean keeps untouched parts regular.
    std::vector<Eigen::Index> unknown(n, -1);
    Eigen::Index free = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (!known[i]) unknown[i] = free++, field[i] = mean;
    if (free == 0) return;
    const Triplets all = stiffness(solid);
    double largest = 0;
    for (const auto& e : all) largest = std::max(largest, std::abs(e.value()));
    const double little = 1e-10 * largest;
    Triplets entries;
    Eigen::VectorXd b = Eigen::VectorXd::Constant(free, little * mean);
    for (Eigen::Index k = 0; k < free; ++k) entries.emplace_back(k, k, little);
    for (const auto& e : all) {
        const Eigen::Index row = unknown[std::size_t(e.row())], column = unknown[std::size_t(e.col())];
        if (row < 0) continue;
        if (column >= 0)
            entries.emplace_back(row, column, e.value());
        else
            b[row] -= e.value() * field[std::size_t(e.col())];
    }
    Eigen::SparseMatrix<double> A(free, free);
    A.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> solver(A);
    const Eigen::VectorXd x = solver.solve(b);
    for (std::size_t i = 0; i < n; ++i)
        if (unknown[i] >= 0 && std::isfinite(x[unknown[i]])) field[i] = x[unknown[i]];
}

template <class Solid>
std::vector<double> solve(const Solid& solid, std::span<const Vec3d> samples, std::span<const double> values)
{
    const std::size_t n = count(solid);
    std::vector<double> field(n, 0.0), counts(n, 0.0);
    for (std::size_t s = 0; s < samples.size(); ++s) {
        std::size_t nearest = 0;
        double least = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < n; ++i)
            if (const double away = length(position(solid, i) - samples[s]); away < least) least = away, nearest = i;
        field[nearest] += values[s];
        counts[nearest] += 1;
    }
    std::vector<char> known(n);
    for (std::size_t i = 0; i < n; ++i)
        if (counts[i] > 0) known[i] = 1, field[i] /= counts[i];
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
    fill(solid, known, mean, field);
    return field;
}

}  // namespace

std::vector<double> harmonic_field(const Domain& domain, std::span<const Vec3d> samples, std::span<const double> values)
{
    return std::visit([&](const auto& solid) { return solve(solid, samples, values); }, domain);
}

void harmonic_fill(const Domain& domain, std::span<const char> known, std::span<double> values)
{
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i]) sum += values[i], ++count;
    if (count == 0) return;
    std::visit([&](const auto& solid) { fill(solid, known, sum / count, values); }, domain);
}

}  // namespace yawara::field
