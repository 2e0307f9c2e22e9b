#include "fem/principal_law.h"

#include <algorithm>
#include <cmath>

#include "fem/green_strain.h"

namespace yawara::fem {
namespace {

constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

/// Of a symmetric matrix: that it has no negative eigenvalue, by its minors.
bool is_positive(const Eigen::Matrix3d& m)
{
    return m(0, 0) >= 0 && m(0, 0) * m(1, 1) >= m(0, 1) * m(0, 1) && m(1, 1) >= 0 && m(2, 2) >= 0 &&
           m.determinant() > 0;
}

}  // namespace

/// Columns of F are turned, two at a time, until they are at right angles: one-sided Jacobi, which is as accurate for
/// small stretches as for large ones.
Principal principal(const Mat3d& deformation)
{
    constexpr int kMostSweeps = 20;
    constexpr double kRightAngle = 1e-15;
    Eigen::Matrix3d F = to_eigen(deformation);
    Principal p{{}, Eigen::Matrix3d::Identity(), {}};
    bool turned = true;
    for (int sweep = 0; turned && sweep < kMostSweeps; ++sweep) {
        turned = false;
        for (const auto& [i, j] : kPairs) {
            const double ii = F.col(i).squaredNorm(), jj = F.col(j).squaredNorm(), ij = F.col(i).dot(F.col(j));
            if (!(std::abs(ij) > kRightAngle * std::sqrt(ii * jj))) continue;
            turned = true;
            const double ratio = (jj - ii) / (2 * ij);
            const double t = (ratio < 0 ? -1 : 1) / (std::abs(ratio) + std::sqrt(1 + ratio * ratio));
            const double c = 1 / std::sqrt(1 + t * t), s = c * t;
            for (Eigen::Matrix3d* m : {&F, &p.V}) {
                const Eigen::Vector3d first = m->col(i), second = m->col(j);
                m->col(i) = c * first - s * second, m->col(j) = s * first + c * second;
            }
        }
    }
    int order[3] = {0, 1, 2};
    Eigen::Vector3d length = F.colwise().norm();
    std::sort(order, order + 3, [&](int i, int j) { return length[i] != length[j] ? length[i] > length[j] : i < j; });
    const Eigen::Matrix3d V = p.V;
    for (int k = 0; k < 3; ++k) p.V.col(k) = V.col(order[k]), p.s[k] = length[order[k]];
    p.V.col(2) = p.V.col(0).cross(p.V.col(1));
    // Stretches that are zero leave the other side any axes.
    p.U.col(0) = p.s[0] > 0 ? Eigen::Vector3d(F.col(order[0]) / p.s[0]) : Eigen::Vector3d::UnitX();
    const double least = 1e-14 * p.s[0];
    p.U.col(1) = p.s[1] > least ? Eigen::Vector3d(F.col(order[1]) / p.s[1]) : p.U.col(0).unitOrthogonal();
    p.U.col(2) = p.U.col(0).cross(p.U.col(1));
    p.s[2] = p.U.col(2).dot(to_eigen(deformation) * p.V.col(2));
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
    const Vector9 stretch[3] = {mode(0, 0), mode(1, 1), mode(2, 2)};
    if (!positive || is_positive(c.stretches)) {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) H += c.stretches(i, j) * stretch[i] * stretch[j].transpose();
    } else {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> own(c.stretches);
        for (int k = 0; k < 3; ++k) {
            const Eigen::Vector3d axis = own.eigenvectors().col(k);
            add(own.eigenvalues()[k], axis[0] * stretch[0] + axis[1] * stretch[1] + axis[2] * stretch[2]);
        }
    }
    for (int k = 0; k < 3; ++k) {
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
