// St. Venant-Kirchhoff: W = 1/2 E : C : E, E = (F^T F - 1) / 2, with the full tensor. Bodies of this law alone never
// come here: their tets have loops of their own, fem/kernels.inl and fem/implicit_tets.cpp.
#include <algorithm>

#include "fem/green_strain.h"

namespace yawara {

using fem::add_green_hessian, fem::green_strain, fem::Matrix9, fem::to_eigen, fem::to_mat3, fem::to_matrix,
    fem::Vector6;
namespace {

class StVenantKirchhoff final : public ElasticLaw {
public:
    std::string_view name() const override { return "stvk"; }
    bool takes_any_tensor() const override { return true; }

    double energy(const Elasticity& material, const Mat3d& F) const override
    {
        const Vector6 strain = green_strain(to_eigen(F));
        return strain.dot(to_eigen(material) * strain) / 2;
    }
    Mat3d stress(const Elasticity& material, const Mat3d& F) const override
    {
        return to_mat3(to_eigen(F) * second_stress(material, F));
    }
    LawHessian hessian(const Elasticity& material, const Mat3d& F, bool positive) const override
    {
        Matrix9 H = Matrix9::Zero();
        add_green_hessian(to_eigen(F), to_eigen(material), second_stress(material, F), positive, H);
        LawHessian out;
        Eigen::Map<Matrix9>(out.h.data()) = H;
        return out;
    }
    double stiffening(const Elasticity& material, const Mat3d& F) const override
    {
        const Eigen::Matrix3d f = to_eigen(F);
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> stretch(f.transpose() * f, Eigen::EigenvaluesOnly);
        const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> pull(second_stress(material, F), Eigen::EigenvaluesOnly);
        // The part of the strain grows with the square of the stretch.
        return std::max(stretch.eigenvalues()[2] - 1, 0.0) * eigenvalues(material)[5] +
               std::max(pull.eigenvalues()[2], 0.0);
    }

private:
    static Eigen::Matrix3d second_stress(const Elasticity& material, const Mat3d& F)
    {
        return to_matrix(to_eigen(material) * green_strain(to_eigen(F)));
    }
};

}  // namespace

std::shared_ptr<const ElasticLaw> st_venant_kirchhoff_law()
{
    return std::make_shared<StVenantKirchhoff>();
}

}  // namespace yawara
