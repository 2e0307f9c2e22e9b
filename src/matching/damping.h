// Damping that leaves rigid motion alone and keeps both momenta.
#pragma once

#include <span>
#include <vector>

#include "matching/regions.h"
#include "yawara/math.h"

namespace yawara::matching {

/// Angular velocity of a body with these second moments about its centre; zero for directions it cannot turn in.
Vec3d spin_of(Vec3d diagonal, Vec3d mixed, Vec3d angular);

/// v += share (rigid motion of the whole - v), [Examples] 3.11. `parts`: particles of each connected part, each damped
/// against its own motion; empty: one part. `held` particles have no say in that motion and keep their velocities.
///
/// To be applied before anything pulls in a step. Behind it, as in [Examples], the rigid motion would contain what the
/// supports take back at once, and damping would load a pinned body; and a share of the goals' pull would be lost.
class RigidDamping {
public:
    RigidDamping(std::size_t particles, std::size_t parts);
    void apply(float share, std::span<const float> masses, const Lists& parts, std::span<const Vec3> positions,
               std::span<Vec3> velocities, std::span<const std::int32_t> held = {});

    /// Rotation about a centre.
    struct Turn {
        Vec3 spin, center;
    };
    /// How momenta, about the origin, turn the body as it was in the last apply(): of one part, with nothing held.
    Turn turn_of(const Momenta& momenta) const;

private:
    struct Sums {
        double mass = 0;
        Vec3d first, momentum, angular;           ///< sum m p, sum m v, sum m p x v
        Vec3d diagonal, mixed;                    ///< sum m p_x p_x ..., sum m p_y p_z ...
        void add(const Sums& other);
    };
    struct Rigid {
        Vec3d center, velocity;
        Vec3d diagonal, mixed;  ///< second moments about the centre
        Vec3d spin;
    };
    static Sums sum_range(std::span<const float> masses, std::span<const Vec3> positions,
                          std::span<const Vec3> velocities, Vec3 reference, std::size_t first, std::size_t last);
    static Rigid solve(const Sums& sums, Vec3 reference);

    std::vector<Sums> chunks_;
    std::vector<float> free_masses_;  ///< zero for held particles
    Rigid whole_{};                   ///< of the last apply()
};

}  // namespace yawara::matching
