// Where an obstacle touches the surface of a body with an edge or within a triangle, where no particle is.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "contact/meeting.h"
#include "contact/touch.h"

namespace yawara::contact {

/// A point of the surface of a body.
struct SurfacePoint {
    std::array<std::size_t, 3> particles;
    std::array<double, 3> shares;

    Vec3 in(std::span<const Vec3> values) const
    {
        Vec3d sum;
        for (std::size_t k = 0; k < 3; ++k) sum += values[particles[k]].as<double>() * shares[k];
        return sum.as<float>();
    }
};

class BetweenParticles {
public:
    struct Found {
        SurfacePoint point;
        Meeting met;
    };
    /// All that is nearer than `near` at the end of the step, m. A corner of the obstacle that is deeper in the body
    /// than `deepest` at its start did not come through the triangle: it is that of another side. `box`: of the body,
    /// with as much room around it.
    /// Edges are met by what is seen from `lift` away into the body, m, but at most half through it. `radius`: m, of
    /// what is around the obstacle and belongs to it.
    std::span<const Found> find(const ContactBody& body, const Collider& collider, const Box3& box, double near,
                                double deepest, double lift, double radius = 0);

private:
    void add(const SurfacePoint& point, const Meeting& met, double near);

    std::vector<Found> found_;
    std::vector<double> distances_;  ///< m, per particle of the surface: from the obstacle, as if both were at the end
    std::vector<Corner> corners_;    ///< of the obstacle
};

}  // namespace yawara::contact
