// How far the particles of a body were from mesh obstacles when they last asked: until one has gone that far, it is clear
// of them without asking again.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yawara/collider.h"

namespace yawara::contact {

/// Nothing solid is in it; in the frame of the obstacle.
struct ClearBall {
    Vec3 center;
    float radius = 0;
};

class Clearances {
public:
    /// Forgets what was about other obstacles than these. Allocates only if there are others.
    void renew(std::span<const Collider> colliders, std::size_t particles);

    /// Per particle, about the obstacle of this index; empty unless it is a mesh that keeps its shape.
    std::span<ClearBall> about(std::size_t collider) { return about_[collider].balls; }
    /// The same, also if these were not renewed for it: then empty.
    std::span<const ClearBall> known_about(std::size_t index, const Collider& collider) const;

private:
    struct About {
        std::shared_ptr<const MeshDistance::Data> mesh;
        std::vector<ClearBall> balls;
    };
    std::vector<About> about_;
};

/// Whether a particle that came here by a path of this length, m, cannot have touched the obstacle, a mesh.
bool is_clear_of(const Collider& collider, Vec3 point, double path, ClearBall& ball);
/// Whether that is known without looking at the mesh.
bool is_known_clear(const Collider& collider, Vec3 point, double path, const ClearBall& ball);

}  // namespace yawara::contact
