// Numerical coarsening: six harmonic fields of the whole body (Kharevych et al. 2009), two bounds for each tet, and the
// clamp between them.
#include "fem/coarsen.h"
#include "fem/solve_by_levels.h"

#include <Eigen/Sparse>
#include <algorithm>
#include <map>
#include <numeric>

#include "core/parallel.h"

namespace yawara::fem {
namespace {

constexpr double kSingular = 1e8;           // condition of the corner strains from which they say nothing
constexpr Eigen::Index kDenseSolve = 150;   // unknowns: up to here a full factor is quickest
constexpr std::size_t kDirectSolve = 1500;  // nodes: up to here a sparse one; then conjugate gradients over the levels

/// Some finest tets with a numbering of their own.
struct Patch {
    const TetForest& forest;
    const ForestMaterials& materials;
    std::int32_t first, last;         ///< tets
    std::vector<std::int32_t> nodes;  ///< forest nodes, ascending
    double volume = 0;

    Patch(const TetForest& f, const ForestMaterials& m, std::int32_t first_tet, std::int32_t last_tet)
        : forest(f), materials(m), first(first_tet), last(last_tet)
    {
        for (std::int32_t t = first; t < last; ++t) {
            nodes.insert(nodes.end(), forest.tet(t).begin(), forest.tet(t).end());
            volume += shape_of(forest.corners(t)).volume;
        }
        std::sort(nodes.begin(), nodes.end());
        nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    }
    Eigen::Index local(std::int32_t node) const
    {
        return std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin();
    }
    std::array<Eigen::Index, 4> corners(std::int32_t t) const
    {
        const Int4& v = forest.tet(t);
        return {local(v[0]), local(v[1]), local(v[2]), local(v[3])};
    }
    Vec3d rest(Eigen::Index k) const { return forest.rest()[std::size_t(nodes[std::size_t(k)])]; }
    std::size_t material(std::int32_t t) const { return std::size_t(materials.of_tet[std::size_t(t)]); }
};

Eigen::Matrix<double, 12, 6> at_corners(const Fields& u, const std::array<Eigen::Index, 4>& corners)
{
    Eigen::Matrix<double, 12, 6> values;
    for (int a = 0; a < 4; ++a) values.middleRows<3>(3 * a) = u.middleRows<3>(3 * corners[std::size_t(a)]);
    return values;
}

Sparse stiffness_of(const Patch& patch)
{
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(144 * std::size_t(patch.last - patch.first));
    for (std::int32_t t = patch.first; t < patch.last; ++t) {
        const TetShape shape = shape_of(patch.forest.corners(t));
        const StrainMatrix B = strain_matrix(shape);
        const Eigen::Matrix<double, 12, 12> K =
            shape.volume * B.transpose() * to_eigen(patch.materials.elasticities[patch.material(t)]) * B;
        const auto corners = patch.corners(t);
        for (int i = 0; i < 12; ++i)
            for (int j = 0; j < 12; ++j)
                entries.emplace_back(3 * corners[std::size_t(i / 3)] + i % 3, 3 * corners[std::size_t(j / 3)] + j % 3,
                                     K(i, j));
    }
    const auto size = Eigen::Index(3 * patch.nodes.size());
    Sparse K(size, size);
    K.setFromTriplets(entries.begin(), entries.end());
    return K;
}

/// Solves K u = b for the unknowns that are not held (those are zero).
Fields solve_with_held(const Sparse& K, const Fields& b, const std::vector<std::uint8_t>& held)
{
    std::vector<Eigen::Index> free_of(held.size(), -1);
    Eigen::Index count = 0;
    for (std::size_t k = 0; k < held.size(); ++k)
        if (!held[k]) free_of[k] = count++;
    const auto for_each_entry = [&](const auto& then) {
        for (Eigen::Index column = 0; column < K.outerSize(); ++column) {
            if (held[std::size_t(column)]) continue;
            for (Sparse::InnerIterator it(K, column); it; ++it)
                if (!held[std::size_t(it.row())])
                    then(free_of[std::size_t(it.row())], free_of[std::size_t(column)], it.value());
        }
    };
    Fields rhs(count, 6), x;
    for (std::size_t k = 0; k < held.size(); ++k)
        if (!held[k]) rhs.row(free_of[k]) = b.row(Eigen::Index(k));
    if (count <= kDenseSolve) {
        Eigen::MatrixXd full = Eigen::MatrixXd::Zero(count, count);
        for_each_entry([&](Eigen::Index row, Eigen::Index column, double value) { full(row, column) = value; });
        x = full.llt().solve(rhs);
    } else {
        Sparse reduced(count, count);
        reduced.reserve(K.nonZeros());
        for (Eigen::Index column = 0, last = -1; column < K.outerSize(); ++column) {  // in order, so no sorting
            if (held[std::size_t(column)]) continue;
            reduced.startVec(++last);
            for (Sparse::InnerIterator it(K, column); it; ++it)
                if (!held[std::size_t(it.row())]) reduced.insertBack(free_of[std::size_t(it.row())], last) = it.value();
        }
        reduced.finalize();
        x = Eigen::SimplicialLDLT<Sparse>(reduced).solve(rhs);
    }
    Fields u = Fields::Zero(b.rows(), 6);
    for (std::size_t k = 0; k < held.size(); ++k)
        if (!held[k]) u.row(Eigen::Index(k)) = x.row(free_of[k]);
    return u;
}

int largest_axis(Vec3d v)
{
    int axis = 0;
    for (int k = 1; k < 3; ++k)
        if (std::abs(v[k]) > std::abs(v[axis])) axis = k;
    return axis;
}

/// Six unknowns of each connected part that, held, stop its rigid motion and nothing else.
std::vector<std::uint8_t> hold_rigid_motion(const Patch& patch)
{
    std::vector<Int4> tets;
    for (std::int32_t t = patch.first; t < patch.last; ++t) {
        const auto c = patch.corners(t);
        tets.push_back({std::int32_t(c[0]), std::int32_t(c[1]), std::int32_t(c[2]), std::int32_t(c[3])});
    }
    std::vector<std::int32_t> part;
    const int parts = connected_parts(tets, patch.nodes.size(), &part);
    std::vector<std::uint8_t> held(3 * patch.nodes.size(), 0);
    const auto farthest = [&](int p, const auto& distance) {
        std::size_t best = 0;
        double far = -1;
        for (std::size_t k = 0; k < part.size(); ++k)
            if (part[k] == p && distance(patch.rest(Eigen::Index(k))) > far) {
                best = k;
                far = distance(patch.rest(Eigen::Index(k)));
            }
        return best;
    };
    for (int p = 0; p < parts; ++p) {
        const std::size_t a = farthest(p, [](Vec3d) { return 0.0; });
        const Vec3d A = patch.rest(Eigen::Index(a));
        const std::size_t b = farthest(p, [&](Vec3d x) { return length(x - A); });
        const Vec3d along = patch.rest(Eigen::Index(b)) - A;
        const std::size_t c = farthest(p, [&](Vec3d x) { return length(cross(x - A, along)); });
        const Vec3d normal = cross(patch.rest(Eigen::Index(c)) - A, along);
        for (std::size_t k = 0; k < 3; ++k) {
            held[3 * a + k] = 1;
            if (int(k) != largest_axis(along)) held[3 * b + k] = 1;
        }
        held[3 * c + std::size_t(largest_axis(normal))] = 1;
    }
    return held;
}

/// Fields of a free patch under the six unit tractions.
Fields traction_fields(const Patch& patch)
{
    Fields load = Fields::Zero(Eigen::Index(3 * patch.nodes.size()), 6);
    for (std::int32_t t = patch.first; t < patch.last; ++t) {
        const TetShape shape = shape_of(patch.forest.corners(t));
        const Eigen::Matrix<double, 12, 6> f = shape.volume * strain_matrix(shape).transpose();
        const auto corners = patch.corners(t);
        for (int a = 0; a < 4; ++a) load.middleRows<3>(3 * corners[std::size_t(a)]) += f.middleRows<3>(3 * a);
    }
    const Sparse K = stiffness_of(patch);
    const std::vector<std::uint8_t> held = hold_rigid_motion(patch);
    if (patch.nodes.size() > kDirectSolve && patch.nodes.size() == patch.forest.node_count())
        if (std::optional<Fields> solved = solve_by_levels(patch.forest, patch.materials, K, load, held))
            return std::move(*solved);
    return solve_with_held(K, load, held);
}

struct Energies {
    Matrix6 elastic = Matrix6::Zero(), viscous = Matrix6::Zero();  ///< sum of vol e^T C e, vol e^T D e
    Matrix6 strain = Matrix6::Zero();                              ///< sum of vol e
};

Energies energies_of(const Patch& patch, const Fields& u, std::int32_t first, std::int32_t last)
{
    Energies sum;
    for (std::int32_t t = first; t < last; ++t) {
        const TetShape shape = shape_of(patch.forest.corners(t));
        const Matrix6 e = strain_matrix(shape) * at_corners(u, patch.corners(t));
        sum.elastic += shape.volume * e.transpose() * to_eigen(patch.materials.elasticities[patch.material(t)]) * e;
        sum.viscous += shape.volume * e.transpose() * to_eigen(patch.materials.viscosities[patch.material(t)]) * e;
        sum.strain += shape.volume * e;
    }
    return sum;
}

struct Tensors {
    Matrix6 C = Matrix6::Zero(), D = Matrix6::Zero();
};

Matrix6 symmetric(const Matrix6& m)
{
    return (m + m.transpose()) / 2;
}

/// C = G^-T E G^-1 / vol
Tensors seen_through(const Matrix6& strain, const Energies& energies, double volume)
{
    const Matrix6 inverse = strain.inverse();
    return {symmetric(inverse.transpose() * energies.elastic * inverse / volume),
            symmetric(inverse.transpose() * energies.viscous * inverse / volume)};
}

Tensors voigt(const Patch& patch)
{
    Tensors sum;
    for (std::int32_t t = patch.first; t < patch.last; ++t) {
        const double share = shape_of(patch.forest.corners(t)).volume / patch.volume;
        sum.C += share * to_eigen(patch.materials.elasticities[patch.material(t)]);
        sum.D += share * to_eigen(patch.materials.viscosities[patch.material(t)]);
    }
    return sum;
}

/// Uniform traction: the mean strain for each unit of stress is the compliance.
Tensors average(const Patch& patch)
{
    const Energies energies = energies_of(patch, traction_fields(patch), patch.first, patch.last);
    const Matrix6 compliance = energies.strain / patch.volume;
    Tensors tensors = seen_through(compliance, energies, patch.volume);
    tensors.C = symmetric(compliance.inverse());
    return tensors;
}

/// Nodes on the outside of the coarse tet follow the strain, those inside relax.
Matrix6 affine(const Patch& patch, std::int32_t coarse)
{
    const auto corners = patch.forest.corners(coarse);
    const TetShape shape = shape_of(corners);
    const auto count = Eigen::Index(patch.nodes.size());
    Fields prescribed = Fields::Zero(3 * count, 6);
    std::vector<std::uint8_t> held(std::size_t(3 * count), 0);
    bool any_inside = false;
    for (Eigen::Index k = 0; k < count; ++k) {
        const Vec3d p = patch.rest(k) - corners[0];
        for (int i = 0; i < 3; ++i) prescribed(3 * k + i, i) = p[i];
        for (int J = 3; J < 6; ++J) {  // a doubled shear of one: half on each side
            prescribed(3 * k + kFirst[J], J) = p[kSecond[J]] / 2;
            prescribed(3 * k + kSecond[J], J) = p[kFirst[J]] / 2;
        }
        double smallest = 1;
        for (std::size_t a = 0; a < 4; ++a) smallest = std::min(smallest, (a == 0 ? 1.0 : 0.0) + dot(shape.g[a], p));
        const bool inside = smallest > 1e-6;
        any_inside |= inside;
        if (!inside)
            for (int i = 0; i < 3; ++i) held[std::size_t(3 * k + i)] = 1;
    }
    const Sparse K = stiffness_of(patch);
    if (any_inside) prescribed += solve_with_held(K, -(K * prescribed), held);
    return symmetric(prescribed.transpose() * (K * prescribed) / patch.volume);
}

struct Spectrum {
    Matrix6 vectors;
    Vector6 values;
    explicit Spectrum(const Matrix6& m)
    {
        const Eigen::SelfAdjointEigenSolver<Matrix6> solver(symmetric(m));
        vectors = solver.eigenvectors();
        values = solver.eigenvalues();
    }
    template <class Map>
    Matrix6 mapped(const Map& map) const
    {
        return vectors * values.unaryExpr(map).asDiagonal() * vectors.transpose();
    }
};

/// The tensor between `low` and `high` (as quadratic forms) nearest to C: both bounds at once. Kelvin form.
Matrix6 clamped(const Matrix6& C, const Matrix6& low, const Matrix6& high)
{
    const Spectrum gap(high - low);
    const double tiny = 1e-12 * high.norm();
    const Matrix6 root = gap.mapped([&](double v) { return v > tiny ? std::sqrt(v) : 0.0; });
    const Matrix6 inverse = gap.mapped([&](double v) { return v > tiny ? 1 / std::sqrt(v) : 0.0; });
    const Matrix6 X = Spectrum(inverse * (C - low) * inverse).mapped([](double v) { return std::clamp(v, 0.0, 1.0); });
    return symmetric(low + root * X * root);
}

/// The viscosity that goes with a changed elasticity: C^-1 D keeps its eigenvalues. Kelvin form.
Matrix6 carried_along(const Matrix6& D, const Matrix6& from, const Matrix6& to)
{
    const Matrix6 root = Spectrum(to).mapped([](double v) { return std::sqrt(std::max(v, 0.0)); });
    const Matrix6 inverse = Spectrum(from).mapped([](double v) { return 1 / std::sqrt(v); });
    return symmetric(root * inverse * D * inverse * root);
}

/// Number of the one material of all finest tets inside, or -1.
std::int32_t only_material(const TetForest& forest, const ForestMaterials& materials, std::int32_t tet)
{
    const auto [first, last] = forest.finest_in(tet);
    const auto* of = materials.of_tet.data();
    return std::all_of(of + first, of + last, [&](std::int32_t m) { return m == of[first]; }) ? of[first] : -1;
}

}  // namespace

void coarsen_materials(const TetForest& forest, Coarsening rule, ForestMaterials& materials)
{
    std::vector<std::int32_t> mixed;
    for (std::int32_t t = 0; t < std::int32_t(forest.inner_count()); ++t) {
        materials.of_tet[std::size_t(t)] = only_material(forest, materials, t);
        if (materials.of_tet[std::size_t(t)] < 0) mixed.push_back(t);
    }
    if (rule == Coarsening::paper) mixed.clear();
    std::vector<Tensors> tensors(mixed.size());

    const std::int32_t finest = forest.first_of(forest.levels());
    const bool harmonic = !mixed.empty() && (rule == Coarsening::bounded || rule == Coarsening::harmonic);
    const Patch whole(forest, materials, harmonic ? finest : 0, harmonic ? std::int32_t(forest.tet_count()) : 0);
    const Fields fields = harmonic ? traction_fields(whole) : Fields();

    for_each_task(mixed.size(), [&](std::size_t k) {
        const std::int32_t t = mixed[k];
        const auto [first, last] = forest.finest_in(t);
        const Patch patch(forest, materials, first, last);
        if (rule == Coarsening::voigt) {
            tensors[k] = voigt(patch);
            return;
        }
        if (rule == Coarsening::average) {
            tensors[k] = average(patch);
            return;
        }
        const Matrix6 G = strain_matrix(shape_of(forest.corners(t))) * at_corners(fields, whole.corners(t));
        const Eigen::JacobiSVD<Matrix6> svd(G);
        if (!(svd.singularValues()[0] <= kSingular * svd.singularValues()[5])) {
            tensors[k] = average(patch);
            return;
        }
        Tensors found = seen_through(G, energies_of(whole, fields, first, last), patch.volume);
        if (rule == Coarsening::bounded) {
            const Matrix6 wanted = to_kelvin(found.C);
            const Matrix6 kept = clamped(wanted, to_kelvin(average(patch).C), to_kelvin(affine(patch, t)));
            found = {from_kelvin(kept), from_kelvin(carried_along(to_kelvin(found.D), wanted, kept))};
        }
        tensors[k] = found;
    });
    for (std::size_t k = 0; k < mixed.size(); ++k) {
        materials.of_tet[std::size_t(mixed[k])] = std::int32_t(materials.elasticities.size());
        materials.elasticities.push_back(from_eigen(tensors[k].C));
        materials.viscosities.push_back(from_eigen(tensors[k].D));
    }
    if (rule != Coarsening::paper) return;

    // Level by level, each tet from its eight children.
    for (int level = forest.levels() - 1; level >= 0; --level) {
        const auto first = std::size_t(forest.first_of(level)), count = forest.count_of(level);
        std::vector<Tensors> fitted(count);
        for_each_task(count, [&](std::size_t k) {
            const auto t = std::int32_t(first + k);
            fitted[k].C = fit_virtual_deformations(forest, t, materials, 0.01).elasticity;
            for (std::int32_t c = forest.first_child(t); c < forest.first_child(t) + 8; ++c)
                fitted[k].D += to_eigen(materials.viscosities[std::size_t(materials.of_tet[std::size_t(c)])]) / 8;
        });
        for (std::size_t k = 0; k < count; ++k) {
            materials.of_tet[first + k] = std::int32_t(materials.elasticities.size());
            materials.elasticities.push_back(from_eigen(fitted[k].C));
            materials.viscosities.push_back(from_eigen(fitted[k].D));
        }
    }
}

}  // namespace yawara::fem
