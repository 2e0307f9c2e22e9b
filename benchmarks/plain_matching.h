// The twin: the same matching step written plainly with Eigen, one region after the other, an array of structs.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::bench {

class PlainMatching {
public:
    explicit PlainMatching(const TetMesh& mesh, double particle_mass = 1);
    void step(float dt);

    struct Particle {
        Eigen::Vector3f rest, position, velocity, goal;
        float mass, shared_mass;
        int holders;
    };
    struct Member {
        int particle;
        Eigen::Vector3f q;
    };
    struct Region {
        std::vector<Member> members;
        float mass;
    };
    std::vector<Particle> particles;
    std::vector<Region> regions;
};

}  // namespace yawara::bench
