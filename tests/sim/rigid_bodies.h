// Rigid bodies that the tests of this folder share.
#pragma once

#include "sim/bodies.h"

namespace yawara::test {

/// A crate that stands on the origin.
inline BodyModel crate(double size = 0.5, int cells = 1, double density = 500)
{
    BodySpec spec;
    spec.name = "crate";
    spec.solid = Rigid{make_bar({size, size, size}, {cells, cells, cells}, Vec3d{-1, 0, -1} * (size / 2))};
    spec.density = density;
    return build(std::move(spec)).value();
}

/// A brick about the origin.
inline BodyModel brick(Vec3d size = {0.2, 0.4, 0.8}, double density = 1000)
{
    BodySpec spec;
    spec.name = "brick";
    spec.solid = Rigid{make_bar(size, {2, 2, 2}, size * -0.5)};
    spec.density = density;
    return build(std::move(spec)).value();
}

/// A soft block about the origin.
inline BodyModel jelly(Vec3d size = {0.4, 0.4, 0.4}, Int3 cells = {4, 4, 4})
{
    BodySpec spec;
    spec.name = "jelly";
    spec.solid = Matching{make_bar(size, cells, size * -0.5)};
    return build(std::move(spec)).value();
}

/// Sums over all bodies at the end of a step, of what the reports measured and contact changed since.
struct Momenta {
    Vec3d linear, angular;
};
inline Momenta momenta(const Scene& scene)
{
    Momenta all;
    for (const BodyId id : scene.bodies()) {
        BodyState state = scene.state(id);
        Workspace workspace(scene.model(id));
        StepInput still;
        still.dt = 1e-12;
        still.gravity = {};
        BodySettings settings;
        settings.measure = true;
        settings.matching.alpha = 1e-12f;
        settings.matching.damping = 0;
        const StepReport report = step(scene.model(id), settings, still, state, workspace);
        all.linear += report.momentum;
        all.angular += report.angular_momentum + cross(report.center, report.momentum);
    }
    return all;
}

}  // namespace yawara::test
