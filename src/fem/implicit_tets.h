// The tets of a front as an implicit step sees them, in double: what the incremental potential of elasticity, viscosity
// and the barrier is, its derivative by the corners, and a second derivative that is never negative.
#pragma once

#include <span>
#include <vector>

#include "fem/block_matrix.h"

namespace yawara::fem {

/// A symmetric tensor of second order: xx yy zz xy xz yz.
using Six = std::array<double, 6>;

class ImplicitTets {
public:
    /// Fits itself to a front, and starts a step of length h at these positions of the used nodes.
    void begin(const FemModel& model, Front& front, bool barrier, double h, std::span<const Vec3d> positions);
    void reserve(std::size_t tets);

    /// J: elastic energy, plus what viscosity takes from the start of the step to here.
    double energy(std::span<const Vec3d> positions) { return sum_energy(positions, viscous_); }
    double elastic_energy(std::span<const Vec3d> positions) { return sum_energy(positions, false); }
    /// Derivatives of the energy: by every corner (4 tet + corner), and the second ones. What would make these
    /// indefinite is left out: compressive stress, and the curvature of the volume.
    void differentiate(std::span<const Vec3d> positions);
    std::span<const Vec3d> gradients() const { return laws_ ? laws_->gradients() : gradients_; }
    /// kTetBlocks for every tet.
    std::span<const Mat3d> hessians() const { return laws_ ? laws_->hessians() : hessians_; }

private:
    struct Tet {
        Int4 corners;
        Vec3d g[3];  ///< 1/m, gradients of the shape functions of corners 1 to 3
        double volume, barrier;
        std::int32_t material;
    };
    /// Elasticity, or viscosity over h, of one material.
    struct Tensor {
        bool isotropic = false, zero = false;
        double lambda = 0, mu = 0;
        std::array<double, 36> c{};

        Six stress(const Six& strain) const;
    };
    struct Strained {
        Mat3d F;
        Six strain;  ///< Green
        double volume;
    };
    Strained strained(const Tet& tet, std::span<const Vec3d> positions) const;
    double squeezed(const Tet& tet, double volume) const;
    double energy_of(std::size_t t, std::span<const Vec3d> positions, bool viscous) const;
    double sum_energy(std::span<const Vec3d> positions, bool viscous);
    void differentiate_one(std::size_t t, std::span<const Vec3d> positions);

    LawElements* laws_ = nullptr;  ///< of the front: then all is asked there
    std::uint64_t revision_ = 0;
    const FemModel* model_ = nullptr;
    bool barrier_ = true, viscous_ = false;
    std::vector<Tet> tets_;
    std::vector<Tensor> elastic_, viscous_over_h_, together_;
    std::vector<Six> start_;    ///< Green strain at the start of the step, of bodies with viscosity
    std::vector<Six> plastic_;  ///< Green strain that has become the rest shape; empty: none
    std::vector<Vec3d> gradients_;
    std::vector<Mat3d> hessians_;
    std::vector<double> sums_;
};

}  // namespace yawara::fem
