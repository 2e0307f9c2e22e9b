// The corotational law: W = mu |S - 1|^2 + lambda/2 tr(S - 1)^2, F = R S. Small strains in a frame that turns along.
#include "fem/principal_law.h"

namespace yawara {

using fem::PrincipalLaw, fem::Lame, fem::lame_of;
namespace {

class Corotational final : public PrincipalLaw {
public:
    std::string_view name() const override { return "corotational"; }

private:
    double energy_of(Lame lame, const Eigen::Vector3d& s) const override
    {
        const double growth = s.sum() - 3;
        return lame.mu * (s - Eigen::Vector3d::Ones()).squaredNorm() + lame.lambda / 2 * growth * growth;
    }
    Eigen::Vector3d stress_of(Lame lame, const Eigen::Vector3d& s) const override
    {
        return (2 * lame.mu * (s.array() - 1) + lame.lambda * (s.sum() - 3)).matrix();
    }
    Eigen::Matrix3d hessian_of(Lame lame, const Eigen::Vector3d&) const override
    {
        return Eigen::Matrix3d::Constant(lame.lambda) + 2 * lame.mu * Eigen::Matrix3d::Identity();
    }
};

}  // namespace

std::shared_ptr<const ElasticLaw> corotational_law()
{
    return std::make_shared<Corotational>();
}

}  // namespace yawara
