// Damping of neighbours against each other, for regions by lists; on lattices see box_damping.h.
#pragma once

#include <span>

#include "core/aligned.h"
#include "matching/regions.h"
#include "yawara/math.h"

namespace yawara::matching {

/// v += share (mean over its regions of their rigid motion - v), [ProcDef] 3.4; keeps both momenta. To be applied to
/// the velocity before the goals are added, [CVG] 5.4.
class RegionDamping {
public:
    void apply(float share, const Regions& regions, std::span<const Vec3> positions, std::span<Vec3> velocities);

private:
    // See damping_kernels.h; empty until they are needed. One more than there are particles and regions: nobody.
    AlignedVector<float> places_, momenta_, motions_;
};

}  // namespace yawara::matching
