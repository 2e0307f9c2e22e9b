// The stable neo-Hookean law, B. Smith, F. de Goes, T. Kim: Stable Neo-Hookean Flesh Simulation, 2018, eq. (14):
// W = mu/2 (I - 3) - mu/2 ln((I + 1) / 4) - 3/4 mu (J - 1) + lambda/2 (J - 1)^2, I = |F|^2, J = det F, which is theirs
// with the square of J - alpha written out. mu and lambda are chosen so that small strains see Lame's constants.
#include "fem/principal_law.h"

namespace yawara {

using fem::PrincipalLaw, fem::Lame, fem::lame_of;
namespace {

class NeoHookean final : public PrincipalLaw {
public:
    std::string_view name() const override { return "neo-hookean"; }

    double energy(const Elasticity& material, const Mat3d& F) const override
    {
        return density(constants(lame_of(material)), square(F), determinant(F));
    }
    Mat3d stress(const Elasticity& material, const Mat3d& F) const override
    {
        const Lame c = constants(lame_of(material));
        const Mat3d cofactor{cross(F.c1, F.c2), cross(F.c2, F.c0), cross(F.c0, F.c1)};
        return F * (c.mu * (1 - 1 / (square(F) + 1))) + cofactor * pressure(c, determinant(F));
    }

private:
    static Lame constants(Lame lame) { return {lame.lambda + lame.mu * (5.0 / 6), lame.mu * (4.0 / 3)}; }
    static double square(const Mat3d& F) { return dot(F.c0, F.c0) + dot(F.c1, F.c1) + dot(F.c2, F.c2); }
    static double pressure(Lame c, double J) { return c.lambda * (J - 1) - 0.75 * c.mu; }
    static double density(Lame c, double I, double J)
    {
        return c.mu / 2 * (I - 3 - std::log((I + 1) / 4)) - 0.75 * c.mu * (J - 1) + c.lambda / 2 * (J - 1) * (J - 1);
    }

    double energy_of(Lame lame, const Eigen::Vector3d& s) const override
    {
        return density(constants(lame), s.squaredNorm(), s.prod());
    }
    Eigen::Vector3d stress_of(Lame lame, const Eigen::Vector3d& s) const override
    {
        const Lame c = constants(lame);
        return c.mu * (1 - 1 / (s.squaredNorm() + 1)) * s + pressure(c, s.prod()) * cofactors(s);
    }
    Eigen::Matrix3d hessian_of(Lame lame, const Eigen::Vector3d& s) const override
    {
        const Lame c = constants(lame);
        const double more = s.squaredNorm() + 1, push = pressure(c, s.prod());
        const Eigen::Vector3d cofactor = cofactors(s);
        Eigen::Matrix3d H = 2 * c.mu / (more * more) * s * s.transpose() + c.lambda * cofactor * cofactor.transpose();
        H.diagonal().array() += c.mu * (1 - 1 / more);
        H(0, 1) += push * s[2], H(1, 0) += push * s[2];
        H(0, 2) += push * s[1], H(2, 0) += push * s[1];
        H(1, 2) += push * s[0], H(2, 1) += push * s[0];
        return H;
    }
    static Eigen::Vector3d cofactors(const Eigen::Vector3d& s) { return {s[1] * s[2], s[0] * s[2], s[0] * s[1]}; }
};

}  // namespace

std::shared_ptr<const ElasticLaw> neo_hookean_law()
{
    return std::make_shared<NeoHookean>();
}

}  // namespace yawara
