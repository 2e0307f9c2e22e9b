// The tets of a front as an implicit step sees them, in double: what the incremental potential of elasticity, viscosity
// and the barrier is, its derivative by the corners, and a second derivative that is never negative.
#pragma once

#include <span>
#include <vector>

#include "fem/block_matrix.h"

namespace yawara::fem {

class ImplicitTets {
public:
    /// Fits itself to a front, and starts a step of length h at these positions of the used nodes.
    void begin(const FemModel& model, Front& front, bool barrier, double h, std::span<const Vec3d> positions);
    void reserve(const FemModel& model, std::size_t tets);

    ElementEnergy energy(std::span<const Vec3d> positions);
    /// Of the tets where the energy was asked for last. Not of law elements.
    const Volumes& last_volumes() const { return last_volumes_; }
    /// The same, and the derivatives by every corner alone.
    ElementEnergy find_slopes(std::span<const Vec3d> positions);
    /// Derivatives of their sum: by every corner (4 tet + corner), and the second ones. What would make these
    /// indefinite is left out: compressive stress, and the curvature of the volume.
    void differentiate(std::span<const Vec3d> positions);
    std::span<const Vec3d> gradients() const { return laws_ ? laws_->gradients() : gradients_; }
    /// kTetBlocks for every tet.
    std::span<const Mat3d> hessians() const { return laws_ ? laws_->hessians() : hessians_; }

private:
    void fit(const FemModel& model, const Front& front);
    LaneTets lanes(std::span<const Vec3d> positions) const;

    LawElements* laws_ = nullptr;  ///< of the front: then all is asked there
    std::uint64_t revision_ = 0;
    const FemModel* model_ = nullptr;
    bool barrier_ = true, isotropic_ = true, viscous_ = false;
    double per_h_ = 0;
    std::size_t blocks_ = 0;
    AlignedVector<double> constants_;
    std::vector<LaneTets::Corners> corners_;
    AlignedVector<double> start_, plastic_;
    std::vector<Vec3d> gradients_;
    std::vector<Mat3d> hessians_;
    std::vector<ElementEnergy> sums_;
    std::vector<Volumes> volumes_;  ///< as sums_
    Volumes last_volumes_;
};

}  // namespace yawara::fem
