#include "yawara/firmness.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "matching/pass_plan.h"
#include "sim/body_model.h"
#include "sim/mean_young.h"

namespace yawara {
namespace {

/// Moduli of the materials of finite elements: of the isotropic ones closest to their tensors.
Firmness of_elements(const BodyModel::Data& model)
{
    Firmness out{1e300, 0, 0};
    for (const Elasticity& tensor : model.fem->elasticities) {
        const double young = mean_young(tensor);
        out.softest = std::min(out.softest, young);
        out.stiffest = std::max(out.stiffest, young);
    }
    return out;
}

/// Of one pass where the alphas and widths of the regions differ, as they are built.
Firmness of_matching(const BodyModel& body, const BodySettings& settings, double dt)
{
    const BodyModel::Data& model = body.data();
    const MatchingSettings& own = settings.matching;
    const ModulusReach reach = modulus_reach(body, settings, dt);
    if (reach.wanted > 0) {
        const bool by_law = model.widths && model.widths->by_step();
        const double softest = by_law ? model.widths->widths().law.softest : reach.wanted;
        const double alpha = std::clamp(double(own.alpha), 0.0, 1.0);
        return {alpha * std::min(softest, reach.possible), alpha * std::min(reach.wanted, reach.possible), 0};
    }
    const double one = body.pass_young(dt) * std::clamp(double(own.alpha), 0.0, 1.0) * std::max(own.passes, 1);
    if (!model.widths || !model.widths->by_stiffness()) return {one, one, 0};
    const RegionReach regions = region_reach(body, initial_state(body), dt);
    Firmness out{1e300, 0, 0};
    for (std::size_t i = 0; i < regions.alphas.size(); ++i) {
        const Int3& r = regions.reach[i];
        const double wide = r[0] * (r[0] + 1) / 2.0;  // times the resistance of width 1, [CVG] 5.7
        const double young = one * double(regions.alphas[i]) * wide;
        out.softest = std::min(out.softest, young);
        out.stiffest = std::max(out.stiffest, young);
    }
    return out;
}

}  // namespace

Firmness firmness(const BodyModel& body, const BodySettings& settings, double dt, Vec3 gravity)
{
    const BodyModel::Data& model = body.data();
    if (body.is_rigid()) return {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), 0};
    Firmness out = model.fem ? of_elements(model) : of_matching(body, settings, dt);
    const double g = length(gravity.as<double>());
    if (!(g > 0) || !(model.volume > 0)) return out;
    const Vec3d down = gravity.as<double>() / g;
    double low = 1e300, high = -1e300;
    for (const Vec3d& p : model.rest) {
        low = std::min(low, dot(down, p));
        high = std::max(high, dot(down, p));
    }
    const double pressure = model.total_mass / model.volume * g * (high - low);
    out.sink = out.softest > 0 ? std::min(pressure / (2 * out.softest), 1.0) : 1.0;
    return out;
}

}  // namespace yawara
