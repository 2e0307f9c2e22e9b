// The plain twin of the force loop: the same equations with Eigen's small matrices, one struct a tet.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "yawara/fem.h"

namespace yawara::bench {

class PlainFem {
public:
    PlainFem(const TetMesh& mesh, const Elasticity& elasticity, bool isotropic);
    /// Forces of all tets at the present positions.
    void evaluate();

    std::vector<Eigen::Vector3f> positions, forces;

private:
    struct Tet {
        int node[4];
        Eigen::Matrix3f inverse_edges;  ///< columns of F are [x1 - x0, ...] times this
        float half_volume;
        float lambda, mu;
        Eigen::Matrix<float, 6, 6> elasticity;
    };
    std::vector<Tet> tets_;
    bool isotropic_;
};

}  // namespace yawara::bench
