// Water or air around a body: pressure on every outer triangle that moves through it, [ProcDef] 12.4.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "core/aligned.h"
#include "matching/regions.h"
#include "yawara/scene.h"

namespace yawara {

/// Gravity less buoyancy, m/s^2. A medium that ends somewhere presses on surfaces instead, see MediumSurface.
Vec3 weight_in(const StepInput& input, const BodyModel::Data& model);

/// The outer triangles of a solid, by particles, with room for the impulses of a step.
class MediumSurface {
public:
    explicit MediumSurface(const BodyModel& model);

    /// v += h f / m with f = -k A |u| u n on each triangle: area A, normal n, speed u along it against the medium; a
    /// third to each corner. With the sum s of h k A |u| / (3 m) over the triangles of a particle, no motion against
    /// the medium is turned around while no s is above 1. So f is taken times (1 + s^4)^-1/4, the least of the three
    /// corners: no k and h are too large, and in a step short enough for s < 1/3 nothing is lost that could be seen.
    /// Of a medium that ends somewhere, only what is in it counts; and it presses with rho g times the depth on what is
    /// below its surface, the part of a triangle there, so that a body in it loses the weight of what it displaces.
    void apply(const Medium& medium, float dt, std::span<const Vec3> positions, std::span<Vec3> velocities,
               Vec3 gravity = {}, double time = 0);

private:
    class Depths;
    void press(const Depths& depths, float pressure, std::span<const Vec3> positions, std::span<Vec3> velocities);
    void drag(const Medium& medium, const Depths& depths, float dt, std::span<const Vec3> positions,
              std::span<Vec3> velocities);

    // Particles are those of the surface, triangles name them by their numbers among these.
    std::vector<std::int32_t> particles_;         ///< in the body, ascending
    std::vector<float> inverse_masses_;           ///< per particle
    std::vector<Int3> triangles_;                 ///< behind the last some without area
    std::size_t triangle_count_ = 0;              ///< with area
    matching::Lists triangles_of_;                ///< per particle; even in number, the last may be one without area
    std::vector<std::array<Vec3, 3>> pressures_;  ///< per triangle: impulses on its corners, kg m/s
    // See medium_kernels.h.
    AlignedVector<float> places_;       ///< per particle
    AlignedVector<float> drags_;        ///< per triangle
    AlignedVector<float> sums_;         ///< per particle: of the drags around it
    AlignedVector<float> shares_;       ///< per particle: what of the impulses it allows
    std::vector<std::uint8_t> strong_;  ///< per chunk of particles: some allow less than all
};

}  // namespace yawara
