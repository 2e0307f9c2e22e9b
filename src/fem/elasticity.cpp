// Elasticity tensors: the usual families, turning, and what makes one physically possible.
#include "fem/elasticity.h"

#include <algorithm>
#include <cmath>

#include "fem/words.h"

namespace yawara {

using fem::from_eigen, fem::kFirst, fem::kSecond, fem::Matrix6, fem::number, fem::to_eigen, fem::to_kelvin;

namespace {

constexpr double kSymmetric = 1e-9;  // relative asymmetry that counts as rounding
constexpr double kDefinite = 1e-12;  // smallest eigenvalue, as a share of the largest

/// Stiffness as the inverse of a compliance whose shear entries are 1/G.
Result<Elasticity> from_compliance(const Matrix6& compliance)
{
    const Eigen::SelfAdjointEigenSolver<Matrix6> solver(compliance);
    if (!(solver.eigenvalues()[0] > 0))
        return Error{"elasticity",
                     "these moduli and Poisson's ratios would release energy when deformed: the "
                     "smallest eigenvalue of the compliance is " +
                         number(solver.eigenvalues()[0])};
    const Matrix6 c = compliance.inverse();
    return from_eigen((c + c.transpose()) / 2);
}

Status check(const Elasticity& tensor, const char* where, bool definite)
{
    double largest = 0, asymmetry = 0;
    for (int i = 0; i < 6; ++i)
        for (int j = 0; j < 6; ++j) {
            if (!std::isfinite(tensor(i, j))) return Error{where, "a constant is not a finite number"};
            largest = std::max(largest, std::abs(tensor(i, j)));
            asymmetry = std::max(asymmetry, std::abs(tensor(i, j) - tensor(j, i)));
        }
    if (asymmetry > kSymmetric * largest)
        return Error{where, "the matrix is not symmetric: entries differ by " + number(asymmetry)};
    const std::array<double, 6> values = eigenvalues(tensor);
    const bool good = definite ? values[0] > kDefinite * values[5] && values[5] > 0 : values[0] >= -kDefinite * largest;
    if (good) return Done{};
    std::string list;
    for (const double v : values) list += (list.empty() ? "" : ", ") + number(v);
    return Error{where, std::string("is not positive ") + (definite ? "definite" : "semidefinite") +
                            ": its eigenvalues are " + list};
}

}  // namespace

namespace fem {

Matrix6 to_kelvin(const Matrix6& c)
{
    Vector6 s;
    s << 1, 1, 1, std::sqrt(2.0), std::sqrt(2.0), std::sqrt(2.0);
    return s.asDiagonal() * c * s.asDiagonal();
}

Matrix6 from_kelvin(const Matrix6& k)
{
    Vector6 s;
    s << 1, 1, 1, std::sqrt(0.5), std::sqrt(0.5), std::sqrt(0.5);
    return s.asDiagonal() * k * s.asDiagonal();
}

TetShape shape_of(const std::array<Vec3d, 4>& p)
{
    const Vec3d a = p[1] - p[0], b = p[2] - p[0], c = p[3] - p[0];
    const double six_volumes = dot(cross(a, b), c);
    TetShape shape;
    shape.volume = six_volumes / 6;
    shape.g[1] = cross(b, c) / six_volumes;
    shape.g[2] = cross(c, a) / six_volumes;
    shape.g[3] = cross(a, b) / six_volumes;
    shape.g[0] = -(shape.g[1] + shape.g[2] + shape.g[3]);
    return shape;
}

StrainMatrix strain_matrix(const TetShape& shape)
{
    StrainMatrix B = StrainMatrix::Zero();
    for (int a = 0; a < 4; ++a) {
        const Vec3d g = shape.g[std::size_t(a)];
        for (int I = 0; I < 3; ++I) B(I, 3 * a + I) = g[I];
        for (int I = 3; I < 6; ++I) {
            B(I, 3 * a + kFirst[I]) = g[kSecond[I]];
            B(I, 3 * a + kSecond[I]) = g[kFirst[I]];
        }
    }
    return B;
}

bool is_isotropic(const Elasticity& tensor, Lame& lame)
{
    lame = {tensor(0, 1), tensor(3, 3)};
    const Elasticity like = isotropic_lame(lame.lambda, lame.mu);
    double largest = 0, difference = 0;
    for (std::size_t k = 0; k < 36; ++k) {
        largest = std::max(largest, std::abs(tensor.c[k]));
        difference = std::max(difference, std::abs(tensor.c[k] - like.c[k]));
    }
    return difference <= kSymmetric * largest;
}

}  // namespace fem

Elasticity operator*(const Elasticity& tensor, double factor)
{
    Elasticity scaled = tensor;
    for (double& c : scaled.c) c *= factor;
    return scaled;
}

Elasticity isotropic_lame(double lambda, double mu)
{
    Elasticity tensor;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) tensor(i, j) = lambda + (i == j ? 2 * mu : 0);
        tensor(3 + i, 3 + i) = mu;
    }
    return tensor;
}

Result<Elasticity> isotropic(double young, double poisson)
{
    if (!(young > 0) || !std::isfinite(young)) return Error{"young", number(young) + " is not a positive number"};
    if (!(poisson > -1 && poisson < 0.5))
        return Error{"poisson", number(poisson) +
                                    " is outside (-1, 0.5): such a material cannot exist, or cannot be "
                                    "compressed at all"};
    return isotropic_lame(young * poisson / ((1 + poisson) * (1 - 2 * poisson)), young / (2 * (1 + poisson)));
}

Result<Elasticity> orthotropic(const Orthotropic& m)
{
    for (int k = 0; k < 3; ++k) {
        if (!(m.young[k] > 0) || !std::isfinite(m.young[k]))
            return Error{"young", number(m.young[k]) + " is not a positive number"};
        if (!(m.shear[k] > 0) || !std::isfinite(m.shear[k]))
            return Error{"shear", number(m.shear[k]) + " is not a positive number"};
        if (!std::isfinite(m.poisson[k])) return Error{"poisson", "is not a finite number"};
    }
    Matrix6 S = Matrix6::Zero();
    for (int k = 0; k < 3; ++k) {
        S(k, k) = 1 / m.young[k];
        S(3 + k, 3 + k) = 1 / m.shear[k];
        const int a = kFirst[3 + k], b = kSecond[3 + k];
        S(a, b) = S(b, a) = -m.poisson[k] / m.young[a];
    }
    return from_compliance(S);
}

Result<Elasticity> transversely_isotropic(const Fibres& m)
{
    if (!is_finite(m.direction) || !(length(m.direction) > 0)) return Error{"direction", "has no length"};
    if (!(m.young_across > 0)) return Error{"young_across", number(m.young_across) + " is not a positive number"};
    if (!(m.poisson_across > -1)) return Error{"poisson_across", number(m.poisson_across) + " is not above -1"};
    const double shear_across = m.young_across / (2 * (1 + m.poisson_across));
    auto along_x = orthotropic({{m.young_along, m.young_across, m.young_across},
                                {m.poisson_along, m.poisson_along, m.poisson_across},
                                {m.shear_along, m.shear_along, shear_across}});
    if (!along_x) return along_x;
    const Vec3d d = normalized(m.direction);
    const Vec3d helper = std::abs(d.x) < 0.9 ? Vec3d{1, 0, 0} : Vec3d{0, 1, 0};
    const Vec3d u = normalized(cross(d, helper));
    return turned(*along_x, {d, u, cross(d, u)});
}

Elasticity from_21_constants(std::span<const double, 21> upper)
{
    Elasticity tensor;
    std::size_t k = 0;
    for (int i = 0; i < 6; ++i)
        for (int j = i; j < 6; ++j) tensor(i, j) = tensor(j, i) = upper[k++];
    return tensor;
}

Elasticity turned(const Elasticity& tensor, const Mat3d& turn)
{
    // stress_new = T stress, T made of products of the turn's entries; C_new = T C T^T with e's shear doubled.
    const Mat3d R = turn;
    const auto r = [&](int i, int j) { return (j == 0 ? R.c0 : j == 1 ? R.c1 : R.c2)[i]; };
    Matrix6 T;
    for (int I = 0; I < 6; ++I)
        for (int J = 0; J < 6; ++J) {
            const int i = kFirst[I], j = kSecond[I], k = kFirst[J], l = kSecond[J];
            T(I, J) = J < 3 ? r(i, k) * r(j, k) : r(i, k) * r(j, l) + r(i, l) * r(j, k);
        }
    const Matrix6 c = T * to_eigen(tensor) * T.transpose();
    return from_eigen((c + c.transpose()) / 2);
}

std::array<double, 6> eigenvalues(const Elasticity& tensor)
{
    const Eigen::SelfAdjointEigenSolver<Matrix6> solver(to_kelvin(to_eigen(tensor)), Eigen::EigenvaluesOnly);
    std::array<double, 6> values;
    for (int k = 0; k < 6; ++k) values[std::size_t(k)] = solver.eigenvalues()[k];
    return values;
}

Status check_elasticity(const Elasticity& tensor)
{
    return check(tensor, "elasticity", true);
}

Status check_viscosity(const Elasticity& tensor)
{
    return check(tensor, "viscosity", false);
}

}  // namespace yawara
