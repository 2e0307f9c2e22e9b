// The peer: Bullet's soft-body clusters, one over each of the same 1-rings.
#pragma once

#include <memory>

#include "yawara/mesh.h"

namespace yawara::bench {

class BulletMatching {
public:
    explicit BulletMatching(const TetMesh& mesh);
    ~BulletMatching();
    void set_velocity(std::size_t particle, Vec3 velocity);
    /// Frames of all clusters by polar decomposition, and every node moved to match them; then nodes advance.
    void step(float dt);

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
