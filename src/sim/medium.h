// Water or air around a body: pressure on every outer triangle that moves through it, [ProcDef] 12.4.
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"
#include "yawara/scene.h"

namespace yawara {

/// The outer triangles of a solid, by particles, with room for the impulses of a step.
class MediumSurface {
public:
    explicit MediumSurface(const BodyModel& model);

    /// v += h f / m with f = -k A |u| u n on each triangle: area A, normal n, speed u along it against the medium; a
    /// third to each corner. Divided by 1 + h k A |u| / m, so that no k is too large: a step never turns a speed around.
    void apply(const Medium& medium, float dt, std::span<const Vec3> positions, std::span<Vec3> velocities);

private:
    std::vector<Int3> triangles_;
    std::vector<float> masses_;         ///< per triangle: three times the smallest share of a corner's mass
    std::vector<Vec3> impulses_;        ///< per triangle: a third of it
    matching::Lists triangles_of_;      ///< per particle
    std::vector<float> inverse_masses_; ///< per particle
};

}  // namespace yawara
