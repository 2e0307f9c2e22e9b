// Elastic laws of finite elements: energy, stress and second derivative as functions of the deformation gradient.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "yawara/fem.h"

namespace yawara {

/// d^2 energy / dF^2 in Pa as a symmetric 9x9 matrix, F taken column by column: entry (3 j + i, 3 l + k) is that by F_ij
/// and F_kl.
struct LawHessian {
    std::array<double, 81> h{};
    double& operator()(std::size_t row, std::size_t column) { return h[9 * row + column]; }
    double operator()(std::size_t row, std::size_t column) const { return h[9 * row + column]; }
};

/// A law turns the constants of a material and a deformation gradient F into energy. It must not depend on rotations
/// of F; at F = 1 energy and stress are zero and the second derivative is the tensor; and it must be linear in the tensor,
/// so that it can be shared out between tets and nodes (Elements::nodal) and averaged over the tets of a node. Immutable;
/// called from any thread, very often. To write one of an isotropic material see src/fem/principal_law.h.
class ElasticLaw {
public:
    virtual ~ElasticLaw() = default;
    /// In scenes and messages.
    virtual std::string_view name() const = 0;
    /// Whether it takes any tensor. Otherwise materials that are not isotropic are refused, and coarse tets of mixed
    /// material get the isotropic tensor nearest to theirs.
    virtual bool takes_any_tensor() const { return false; }
    /// J/m^3 of the volume at rest.
    virtual double energy(const Elasticity& material, const Mat3d& F) const = 0;
    /// Its derivative by F, Pa: the first Piola-Kirchhoff stress.
    virtual Mat3d stress(const Elasticity& material, const Mat3d& F) const = 0;
    /// `positive`: without what would make it indefinite.
    virtual LawHessian hessian(const Elasticity& material, const Mat3d& F, bool positive) const = 0;
    /// Pa: by how much the largest eigenvalue of the second derivative may exceed that at rest; bounds explicit steps.
    virtual double stiffening(const Elasticity& material, const Mat3d& F) const = 0;
};

/// Quadratic in the Green strain, any tensor. Softens under compression.
std::shared_ptr<const ElasticLaw> st_venant_kirchhoff_law();
/// The stable neo-Hookean law of Smith, de Goes and Kim 2018: withstands compression, and inversion.
std::shared_ptr<const ElasticLaw> neo_hookean_law();
/// Quadratic in the stretch without its rotation: linear for any rotation, as users of small strains expect.
std::shared_ptr<const ElasticLaw> corotational_law();

/// Those above, by their names: "stvk", "neo-hookean", "corotational". Null: there is none of that name.
std::shared_ptr<const ElasticLaw> law_named(std::string_view name);
std::vector<std::string_view> law_names();

}  // namespace yawara
