// Plastic strain, after [O'Brien 2002]: what of a strain has become the rest shape. It is kept as
// C_p - I, where C_p = F_p^T F_p is the metric of that shape, and taken off eps = F^T F - I. Theirs flows without
// change of volume as long as it is small; here det C_p = 1, so that any flow does.
#pragma once

#include <optional>
#include <span>

#include "fem/elasticity.h"

namespace yawara::fem {

struct FemModel;
struct Workspace;

/// A symmetric tensor, order xx yy zz xy xz yz.
using SixFloats = std::array<float, 6>;

/// Elasticity as flow sees it.
struct FlowLaw {
    Matrix6 elasticity;
    double shear;  ///< Pa, mean shear modulus over all directions
};
FlowLaw flow_law(const Elasticity& elasticity);

/// Flow of one point for a time, its deformation held: the elastic strain's deviator has the size
/// |C_p-free part of stress| / (4 shear), and its excess over the yield strain decays as exp(-creep time). The energy
/// density falls by `loss` (J/m^3), never rises. Nothing if it does not flow.
struct Flow {
    Eigen::Matrix3d metric;  ///< C_p after it
    double loss;
};
std::optional<Flow> flow_of(const FlowLaw& law, const Plasticity& plasticity, const Eigen::Matrix3d& deformed_metric,
                            const Eigen::Matrix3d& metric, double time);

/// Plastic strain of an active tet, from that of the finest tets inside it, which have six floats each.
struct PlasticTet {
    SixFloats mean{};    ///< over the finest tets, which are equally large
    SixFloats own{};     ///< the mean in the frame of the active tet, shear doubled: see TetConstants
    SixFloats stress{};  ///< N m: C times the mean, times half the volume, in the frame of the active tet
    double locked =
        0;  ///< J: energy of the finest tets' differences from the mean: no deformation of the tet releases it
    float spread = 0;     ///< N m: how far the stress of any finest tet may differ from `stress`
    bool uniform = true;  ///< the finest tets are all alike
};
/// The mean as an element wants it: shear doubled.
inline Vector6 plastic_strain(const PlasticTet& tet)
{
    Vector6 v;
    for (int I = 0; I < 6; ++I) v[I] = (I < 3 ? 1.0 : 2.0) * double(tet.mean[std::size_t(I)]);
    return v;
}
PlasticTet plastic_tet(const FemModel& model, std::int32_t t, std::span<const float> finest);

/// Mean plastic strain of a child minus that of its parent, shear doubled.
Vector6 plastic_difference(const FemModel& model, const PlasticTet& parent, std::int32_t child,
                           std::span<const float> finest);

/// What is not finite is set back to none.
void repair_plastic(const FemModel& model, std::vector<float>& finest);

/// Flow of all active tets for a time. Returns the energy it took, J.
double flow(const FemModel& model, double time, Workspace& work);

}  // namespace yawara::fem
