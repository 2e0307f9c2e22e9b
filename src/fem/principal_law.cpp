#include "fem/principal_law.h"

#include <algorithm>
#include <cmath>

#include "fem/green_strain.h"

namespace yawara::fem {
namespace {

constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

}  // namespace

Principal principal(const Mat3d& F)
{
    const Eigen::JacobiSVD<Eigen::Matrix3d, Eigen::NoQRPreconditioner> svd(to_eigen(F),
                                                                           Eigen::ComputeFullU | Eigen::ComputeFullV);
    Principal p{svd.matrixU(), svd.matrixV(), svd.singularValues()};
    if (p.U.determinant() < 0) p.U.col(2) *= -1, p.s[2] *= -1;
    if (p.V.determinant() < 0) p.V.col(2) *= -1, p.s[2] *= -1;
    return p;
}

/// Second derivative of the energy in the frame of the principal stretches: of these themselves, and, for each pair of
/// them, of shearing their plane symmetrically (flip) and of turning it (twist). [Smith 2019] 4.
struct PrincipalLaw::Curvatures {
    Eigen::Matrix3d stretches;
    double flip[3], twist[3];
};

PrincipalLaw::Curvatures PrincipalLaw::curvatures(Lame material, const Eigen::Vector3d& s) const
{
    constexpr double kSame = 1e-7, kOpposite = 1e-9;
    const Eigen::Vector3d P = stress_of(material, s);
    Curvatures c{hessian_of(material, s), {}, {}};
    for (int k = 0; k < 3; ++k) {
        const auto [i, j] = kPairs[k];
        const double difference = s[i] - s[j], sum = s[i] + s[j];
        c.flip[k] = std::abs(difference) > kSame ? (P[i] - P[j]) / difference : c.stretches(i, i) - c.stretches(i, j);
        c.twist[k] = (P[i] + P[j]) / (std::abs(sum) > kOpposite ? sum : kOpposite);
    }
    return c;
}

double PrincipalLaw::energy(const Elasticity& material, const Mat3d& F) const
{
    return energy_of(lame_of(material), principal(F).s);
}

Mat3d PrincipalLaw::stress(const Elasticity& material, const Mat3d& F) const
{
    const Principal p = principal(F);
    return to_mat3(p.U * stress_of(lame_of(material), p.s).asDiagonal() * p.V.transpose());
}

LawHessian PrincipalLaw::hessian(const Elasticity& material, const Mat3d& F, bool positive) const
{
    using Vector9 = Eigen::Matrix<double, 9, 1>;
    const Principal p = principal(F);
    const Curvatures c = curvatures(lame_of(material), p.s);
    LawHessian out;
    Eigen::Map<Matrix9> H(out.h.data());
    const auto mode = [&](int i, int j) {  // u_i v_j^T, column by column
        Vector9 m;
        for (int column = 0; column < 3; ++column) m.segment<3>(3 * column) = p.U.col(i) * p.V(column, j);
        return m;
    };
    const auto add = [&](double value, const Vector9& m) {
        if (!positive || value > 0) H += value * m * m.transpose();
    };
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> stretches(c.stretches);
    for (int k = 0; k < 3; ++k) {
        const Eigen::Vector3d axis = stretches.eigenvectors().col(k);
        add(stretches.eigenvalues()[k], axis[0] * mode(0, 0) + axis[1] * mode(1, 1) + axis[2] * mode(2, 2));
        const auto [i, j] = kPairs[k];
        const Vector9 ij = mode(i, j), ji = mode(j, i);
        add(c.flip[k] / 2, ij + ji);
        add(c.twist[k] / 2, ij - ji);
    }
    return out;
}

double PrincipalLaw::stiffening(const Elasticity& material, const Mat3d& F) const
{
    const Lame lame = lame_of(material);
    const Curvatures now = curvatures(lame, principal(F).s), rest = curvatures(lame, Eigen::Vector3d::Ones());
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> more(now.stretches - rest.stretches, Eigen::EigenvaluesOnly);
    double most = std::max(more.eigenvalues()[2], 0.0);
    for (int k = 0; k < 3; ++k) most = std::max({most, now.flip[k] - rest.flip[k], now.twist[k] - rest.twist[k]});
    return most;
}

}  // namespace yawara::fem
