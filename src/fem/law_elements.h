// The elements of a front whose energy is not that of plain St. Venant-Kirchhoff tets: any law, fibres of muscles, and
// strains that are means around nodes. One plain loop in double for explicit and implicit steps and statics.
#pragma once

#include <span>
#include <vector>

#include "core/aligned.h"
#include "fem/fem_model.h"
#include "fem/green_strain.h"

namespace yawara::fem {

/// Share of the shape part of the energy that stays with the tets when strains are taken at the nodes: these alone do
/// not see some motions of the tets around them. [Puso 2006] has a stabilisation of this kind. 0.1 to 0.3 would do as
/// well: the docs have the cantilever.
constexpr double kTetShare = 0.2;

/// Parts of a tensor: for every C >= 0 there is a largest K with C - K 1 1^T >= 0; the rest costs shape alone if C is
/// isotropic.
Elasticity volume_part(const Elasticity& tensor);

class LawElements {
public:
    void reserve(const FemModel& model);
    /// For the active tets of a front and their corners among its `used` nodes.
    void fit(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners,
             std::size_t used);

    /// First the tets, one for each active one; then the nodes.
    std::size_t count() const { return elements_.size(); }
    std::span<const std::int32_t> nodes(std::size_t e) const
    {
        return {nodes_.data() + elements_[e].first_corner, std::size_t(elements_[e].count)};
    }

    /// s: muscles pull as their charts say at this time.
    void set_time(const FemModel& model, double time);
    double time() const { return time_; }

    /// Deformation gradient of an active tet, from positions of four floats each.
    Mat3d tet_gradient(std::size_t tet, std::span<const float> positions) const;
    double tet_volume(std::size_t tet) const { return elements_[tet].volume; }

    /// Viscosity takes energy from these positions of the used nodes on, over a time h, s.
    void start_step(std::span<const Vec3d> positions, double h);
    /// J. `viscous`: with what viscosity takes from the start of the step to here.
    double energy(std::span<const Vec3d> positions, bool barrier, bool viscous);
    /// Derivatives of the same: by every corner of every element; and the second ones, for each element the upper
    /// triangle of its blocks by rows. `positive`: without what would make them indefinite.
    void differentiate(std::span<const Vec3d> positions, bool barrier, bool viscous, bool positive);
    std::span<const Vec3d> gradients() const { return gradients_; }
    std::span<const Mat3d> hessians() const { return hessians_; }

    /// Forces on the used nodes, N, of positions and velocities; four floats a node. gradients() are those of the
    /// elements then.
    void forces(std::span<const float> positions, std::span<const float> velocities, bool barrier,
                std::span<float> out);
    /// J, of positions in four floats each.
    double energy(std::span<const float> positions, bool barrier);

private:
    struct Element {
        std::int32_t first_corner, count;  ///< in nodes_ and shape_
        std::int32_t tensor;
        std::int32_t first_fibre, fibres;
        std::size_t first_block;  ///< in hessians_
        double volume, barrier;   ///< m^3; J, as TetConstants
    };
    struct Tensor {
        Elasticity elastic;
        Matrix6 viscous;
        bool is_viscous = false;
    };
    struct Fibre {
        Eigen::Vector3d direction;
        double stiffness;   ///< Pa
        double wanted = 1;  ///< stretch, now
        std::int32_t muscle;
        float delay;  ///< s
    };

    void list_tets(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners);
    void list_nodes(const FemModel& model, std::span<const std::int32_t> active, std::span<const Int4> corners,
                    std::size_t used);
    void add_node(const FemModel& model, std::span<const std::int32_t> tets, std::span<const std::int32_t> active,
                  std::span<const Int4> corners);
    void list_corners(std::size_t used);
    std::int32_t mean_tensor(const FemModel& model, std::span<const std::int32_t> tets,
                             std::span<const std::int32_t> active);

    Eigen::Matrix3d gradient(const Element& e, std::span<const Vec3d> positions) const;
    double energy_of(std::size_t e, std::span<const Vec3d> positions, bool barrier, bool viscous) const;
    Eigen::Matrix3d stress_of(const Element& e, const Eigen::Matrix3d& F, bool barrier) const;
    Matrix9 hessian_of(std::size_t e, const Eigen::Matrix3d& F, bool barrier, bool viscous, bool positive) const;
    Vector6 viscous_stress(std::size_t e, const Eigen::Matrix3d& F) const;
    void put_gradient(const Element& e, const Eigen::Matrix3d& P);
    void put_hessian(const Element& e, const Matrix9& H);

    const ElasticLaw* law_ = nullptr;
    std::size_t tets_ = 0;
    std::vector<Element> elements_;
    std::vector<std::int32_t> nodes_;  ///< of every corner of every element
    std::vector<Vec3d> shape_;         ///< 1/m: F = sum x g^T over the corners
    std::vector<Tensor> tensors_;
    std::vector<Fibre> fibres_;
    double time_ = 0;
    bool viscous_ = false;
    double per_h_ = 0;            ///< 1/s
    std::vector<Vector6> start_;  ///< Green strain at the start of the step
    std::vector<Vec3d> gradients_;
    std::vector<Mat3d> hessians_;
    std::vector<std::int32_t> corner_offsets_, corners_;  ///< per used node: its corners
    std::vector<double> sums_;
    std::vector<Vec3d> positions_, velocities_;  ///< of the used nodes, in explicit steps
    struct {
        std::vector<std::int32_t> offsets, tets, group, place;
    } scratch_;
};

}  // namespace yawara::fem
