#include "fem/element.h"

#include "fem/kernels.h"

namespace yawara::fem {
namespace {

Eigen::Vector3d gradient(const TetShape& shape, int a)
{
    const Vec3d& g = shape.g[std::size_t(a)];
    return {g.x, g.y, g.z};
}

/// d(F^T F)/dx in six-vector form with doubled shear: twice the Green strain's B.
Eigen::Matrix<double, 6, 12> strain_rate_matrix(const TetShape& shape, const Eigen::Matrix3d& F)
{
    Eigen::Matrix<double, 6, 12> B;
    for (int a = 0; a < 4; ++a) {
        const Eigen::Vector3d g = gradient(shape, a);
        for (int I = 0; I < 6; ++I) {
            const int i = kFirst[I], j = kSecond[I];
            Eigen::Vector3d row = 2 * F.col(i) * g[j];
            if (I >= 3) row += 2 * F.col(j) * g[i];
            B.block<1, 3>(I, 3 * a) = row.transpose();
        }
    }
    return B;
}

double squeeze(const Element& element, double volume)
{
    return element.barrier > 0 && volume < double(kBarrierVolume) ? double(kBarrierVolume) - volume : 0.0;
}

}  // namespace

Eigen::Matrix3d cofactor(const Eigen::Matrix3d& F)
{
    Eigen::Matrix3d c;
    c.col(0) = F.col(1).cross(F.col(2));
    c.col(1) = F.col(2).cross(F.col(0));
    c.col(2) = F.col(0).cross(F.col(1));
    return c;
}

Eigen::Matrix3d deformation_gradient(const TetShape& shape, const Forces& x)
{
    Eigen::Matrix3d F = Eigen::Matrix3d::Zero();
    for (int a = 1; a < 4; ++a) F += (x.col(a) - x.col(0)) * gradient(shape, a).transpose();
    return F;
}

Vector6 strain_of(const Eigen::Matrix3d& F)
{
    const Eigen::Matrix3d e = F.transpose() * F - Eigen::Matrix3d::Identity();
    Vector6 v;
    v << e(0, 0), e(1, 1), e(2, 2), 2 * e(0, 1), 2 * e(0, 2), 2 * e(1, 2);
    return v;
}

Eigen::Matrix3d to_matrix(const Vector6& v)
{
    Eigen::Matrix3d m;
    m << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    return m;
}

double element_energy(const Element& element, const Forces& x)
{
    const Eigen::Matrix3d F = deformation_gradient(element.shape, x);
    const Vector6 e = strain_of(F) - element.plastic;
    const double squeezed = squeeze(element, F.determinant());
    return element.shape.volume / 8 * e.dot(element.elasticity * e) + element.barrier / 2 * squeezed * squeezed;
}

Forces element_forces(const Element& element, const Forces& x)
{
    const Eigen::Matrix3d F = deformation_gradient(element.shape, x);
    Eigen::Matrix3d P = element.shape.volume / 2 * F * to_matrix(element.elasticity * (strain_of(F) - element.plastic));
    if (const double squeezed = squeeze(element, F.determinant()); squeezed > 0)
        P -= element.barrier * squeezed * cofactor(F);
    Forces f;
    for (int a = 0; a < 4; ++a) f.col(a) = -P * gradient(element.shape, a);
    return f;
}

Tangent element_tangent(const Element& element, const Forces& x, bool positive)
{
    const Eigen::Matrix3d F = deformation_gradient(element.shape, x);
    const auto B = strain_rate_matrix(element.shape, F);
    const Vector6 stress = element.elasticity * (strain_of(F) - element.plastic);
    // W = vol/8 e.C.e: the material part is vol/4 B^T C B, the geometric part vol/2 (g_a . sigma g_b) I.
    Tangent K = element.shape.volume / 4 * B.transpose() * element.elasticity * B;
    Eigen::Matrix3d S = to_matrix(stress);
    if (positive) {
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(S);
        S = solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).asDiagonal() * solver.eigenvectors().transpose();
    }
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            K.block<3, 3>(3 * a, 3 * b).diagonal().array() +=
                element.shape.volume / 2 * gradient(element.shape, a).dot(S * gradient(element.shape, b));
    if (const double squeezed = squeeze(element, F.determinant()); squeezed > 0) {
        const Eigen::Matrix3d C = cofactor(F);
        Eigen::Matrix<double, 12, 1> n;  // of the volume by the corners
        for (int a = 0; a < 4; ++a) n.segment<3>(3 * a) = C * gradient(element.shape, a);
        K += element.barrier * n * n.transpose();
        if (!positive)
            for (int a = 0; a < 4; ++a)
                for (int b = 0; b < 4; ++b) {  // the volume is linear in each corner: second derivative F (g_a x g_b)
                    const Eigen::Vector3d w = F * gradient(element.shape, a).cross(gradient(element.shape, b));
                    Eigen::Matrix3d skew;
                    skew << 0, w.z(), -w.y(), -w.z(), 0, w.x(), w.y(), -w.x(), 0;
                    K.block<3, 3>(3 * a, 3 * b) -= element.barrier * squeezed * skew;
                }
    }
    return K;
}

Forces element_viscous_forces(const TetShape& shape, const Matrix6& viscosity, const Forces& x, const Forces& v)
{
    const Eigen::Matrix3d F = deformation_gradient(shape, x), rate = deformation_gradient(shape, v);
    const Eigen::Matrix3d nu = F.transpose() * rate + rate.transpose() * F;
    Vector6 e;
    e << nu(0, 0), nu(1, 1), nu(2, 2), 2 * nu(0, 1), 2 * nu(0, 2), 2 * nu(1, 2);
    const Eigen::Matrix3d P = shape.volume / 2 * F * to_matrix(viscosity * e);
    Forces f;
    for (int a = 0; a < 4; ++a) f.col(a) = -P * gradient(shape, a);
    return f;
}

Tangent element_viscous_tangent(const TetShape& shape, const Matrix6& viscosity, const Forces& x)
{
    const auto B = strain_rate_matrix(shape, deformation_gradient(shape, x));
    return shape.volume / 4 * B.transpose() * viscosity * B;
}

}  // namespace yawara::fem
