// Bullet's deformable bodies as a peer: one evaluation of the elastic forces of its tets.
#pragma once

#include <memory>

#include "yawara/mesh.h"

namespace yawara::bench {

class BulletFem {
public:
    BulletFem(const TetMesh& mesh, float lambda, float mu);
    ~BulletFem();
    void set_position(std::size_t node, Vec3 position);
    void evaluate();

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
