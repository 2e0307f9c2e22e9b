// The paper's virtual deformations of one tet: corners are moved, its six midpoints find equilibrium, the stress of
// the holding forces is fitted by a line. Kept for comparison and for its strain tolerances: a free midpoint is not
// free inside a body, so these tensors are much too soft.
#include <cmath>

#include "fem/coarsen.h"
#include "fem/element.h"

namespace yawara::fem {
namespace {

using Midpoints = Eigen::Matrix<double, 18, 1>;

constexpr double kSamples[] = {0.01, 0.02, 0.05, 0.1,  0.15, 0.2,  0.25, 0.3,  0.35, 0.4, 0.45,
                               0.5,  0.55, 0.6,  0.65, 0.7,  0.75, 0.8,  0.85, 0.9,  0.95};
constexpr double kWidth = 0.15;  // of the weight exp(-(alpha / width)^2)

/// J = sqrt(I + alpha e_b), the symmetric root.
Eigen::Matrix3d virtual_gradient(int basis, double alpha)
{
    Eigen::Matrix3d m = Eigen::Matrix3d::Identity();
    m(kFirst[basis], kSecond[basis]) += alpha;
    if (basis >= 3) m(kSecond[basis], kFirst[basis]) += alpha;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(m);
    return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal() *
           solver.eigenvectors().transpose();
}

/// The eight children of a tet on ten nodes: corners 0..3, midpoints 4..9.
struct Family {
    std::array<Element, 8> children;
    std::array<std::array<int, 4>, 8> nodes;
    std::array<Eigen::Vector3d, 10> rest;
    double volume = 0;

    Family(const TetForest& forest, std::int32_t tet, const ForestMaterials& materials)
    {
        const Int4& v = forest.tet(tet);
        const auto& mid = forest.midpoints(tet);
        const auto number = [&](std::int32_t n) {
            for (int a = 0; a < 4; ++a)
                if (v[std::size_t(a)] == n) return a;
            for (int e = 0; e < 6; ++e)
                if (mid[std::size_t(e)] == n) return 4 + e;
            return -1;
        };
        for (std::size_t k = 0; k < 8; ++k) {
            const std::int32_t c = forest.first_child(tet) + std::int32_t(k);
            children[k].shape = shape_of(forest.corners(c));
            children[k].elasticity = to_eigen(materials.elasticities[std::size_t(materials.of_tet[std::size_t(c)])]);
            volume += children[k].shape.volume;
            for (std::size_t a = 0; a < 4; ++a) nodes[k][a] = number(forest.tet(c)[a]);
        }
        for (std::size_t n = 0; n < 10; ++n) {
            const Vec3d p = forest.rest()[std::size_t(n < 4 ? v[n] : mid[n - 4])];
            rest[n] = {p.x, p.y, p.z};
        }
    }

    Forces corners_of(std::size_t child, const std::array<Eigen::Vector3d, 10>& x) const
    {
        Forces p;
        for (int a = 0; a < 4; ++a) p.col(a) = x[std::size_t(nodes[child][std::size_t(a)])];
        return p;
    }
    double energy(const std::array<Eigen::Vector3d, 10>& x) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < 8; ++k) sum += element_energy(children[k], corners_of(k, x));
        return sum;
    }
    std::array<Eigen::Vector3d, 10> forces(const std::array<Eigen::Vector3d, 10>& x) const
    {
        std::array<Eigen::Vector3d, 10> sum;
        sum.fill(Eigen::Vector3d::Zero());
        for (std::size_t k = 0; k < 8; ++k) {
            const Forces f = element_forces(children[k], corners_of(k, x));
            for (int a = 0; a < 4; ++a) sum[std::size_t(nodes[k][std::size_t(a)])] += f.col(a);
        }
        return sum;
    }
    Eigen::Matrix<double, 18, 18> tangent(const std::array<Eigen::Vector3d, 10>& x) const
    {
        Eigen::Matrix<double, 18, 18> K = Eigen::Matrix<double, 18, 18>::Zero();
        for (std::size_t k = 0; k < 8; ++k) {
            const Tangent Ke = element_tangent(children[k], corners_of(k, x), true);
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b) {
                    const int i = nodes[k][std::size_t(a)] - 4, j = nodes[k][std::size_t(b)] - 4;
                    if (i >= 0 && j >= 0) K.block<3, 3>(3 * i, 3 * j) += Ke.block<3, 3>(3 * a, 3 * b);
                }
        }
        return K;
    }

    /// Midpoints force-free while the corners are where they are: Newton with halved steps.
    void relax(std::array<Eigen::Vector3d, 10>& x) const
    {
        for (int round = 0; round < 40; ++round) {
            const auto f = forces(x);
            Midpoints g;
            for (int e = 0; e < 6; ++e) g.segment<3>(3 * e) = f[std::size_t(4 + e)];
            const Midpoints step = tangent(x).ldlt().solve(g);
            const double before = energy(x), gain = g.dot(step);
            if (!(gain > 1e-16 * std::max(before, 1e-300))) return;
            auto next = x;
            double share = 1;
            for (int halving = 0; halving < 30; ++halving, share /= 2) {
                for (int e = 0; e < 6; ++e)
                    next[std::size_t(4 + e)] = x[std::size_t(4 + e)] + share * step.segment<3>(3 * e);
                if (energy(next) <= before - 1e-4 * share * gain) break;
            }
            x = next;
        }
    }

    /// sigma = -(2/vol) J^-1 sum of f_a m_a^T, eq. (17) with the internal forces of the corners.
    Vector6 stress(int basis, double alpha) const
    {
        const Eigen::Matrix3d J = virtual_gradient(basis, alpha);
        std::array<Eigen::Vector3d, 10> x;
        for (std::size_t n = 0; n < 10; ++n) x[n] = J * rest[n];
        relax(x);
        const auto f = forces(x);
        Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
        for (std::size_t a = 0; a < 4; ++a) sum += f[a] * rest[a].transpose();
        const Eigen::Matrix3d raw = -2 / volume * J.inverse() * sum;
        const Eigen::Matrix3d s = (raw + raw.transpose()) / 2;
        Vector6 out;
        for (int I = 0; I < 6; ++I) out[I] = s(kFirst[I], kSecond[I]);
        return out;
    }
};

}  // namespace

Vector6 virtual_stress(const TetForest& forest, std::int32_t tet, const ForestMaterials& materials, int basis,
                       double alpha)
{
    return Family(forest, tet, materials).stress(basis, alpha);
}

VirtualFit fit_virtual_deformations(const TetForest& forest, std::int32_t tet, const ForestMaterials& materials,
                                    double tolerance)
{
    const Family family(forest, tet, materials);
    constexpr std::size_t kCount = std::size(kSamples);
    std::array<std::array<Vector6, 2 * kCount>, 6> stresses;  // below zero, above zero
    Matrix6 raw;
    for (int basis = 0; basis < 6; ++basis) {
        Vector6 sum = Vector6::Zero();
        double weights = 0;
        for (std::size_t k = 0; k < kCount; ++k)
            for (const int side : {0, 1}) {
                const double alpha = side ? kSamples[k] : -kSamples[k];
                const Vector6 s = family.stress(basis, alpha);
                stresses[std::size_t(basis)][2 * k + std::size_t(side)] = s;
                const double w = std::exp(-alpha * alpha / (kWidth * kWidth));
                sum += w * alpha * s;
                weights += w * alpha * alpha;
            }
        raw.col(basis) = sum / weights / (basis < 3 ? 1 : 2);
    }
    VirtualFit fit;
    fit.elasticity = (raw + raw.transpose()) / 2;
    const double largest = fit.elasticity.cwiseAbs().maxCoeff();
    fit.asymmetry = (raw - raw.transpose()).cwiseAbs().maxCoeff() / largest;
    for (int basis = 0; basis < 6; ++basis)
        for (const int side : {0, 1}) {
            double reached = 0;
            for (std::size_t k = 0; k < kCount; ++k) {
                const double alpha = side ? kSamples[k] : -kSamples[k];
                const Vector6 line = fit.elasticity.col(basis) * (basis < 3 ? alpha : 2 * alpha);
                const Vector6& s = stresses[std::size_t(basis)][2 * k + std::size_t(side)];
                const Vector6 allowed = tolerance * (line.cwiseAbs().array() + tolerance * largest).matrix();
                if (((line - s).cwiseAbs() - allowed).maxCoeff() > 0) break;
                reached = alpha;
            }
            (side ? fit.range.high : fit.range.low)[std::size_t(basis)] = float(reached);
        }
    return fit;
}

}  // namespace yawara::fem
