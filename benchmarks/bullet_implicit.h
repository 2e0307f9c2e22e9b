// Bullet's deformable bodies as a peer: implicit steps of a tet mesh that is held at one end.
#pragma once

#include <memory>
#include <span>

#include "yawara/mesh.h"

namespace yawara::bench {

class BulletImplicit {
public:
    BulletImplicit(const TetMesh& mesh, std::span<const double> masses, float lambda, float mu, Vec3 gravity,
                   std::span<const std::int32_t> held);
    ~BulletImplicit();
    void step(double dt);
    Vec3 position(std::size_t node) const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
