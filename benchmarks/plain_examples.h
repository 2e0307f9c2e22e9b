// The twin of a step with examples: the equations of [Examples] 3 written plainly with Eigen on the plain matching
// step.
#pragma once

#include "plain_matching.h"
#include "yawara/examples.h"

namespace yawara::bench {

/// One group, energy metric, nearest point of the hull, best rotation.
class PlainExamples {
public:
    PlainExamples(const TetMesh& mesh, const ExampleSet& examples);
    void step(float dt, float beta);

    PlainMatching body;
    std::vector<float> weights;

private:
    struct Fit {
        Eigen::Vector3f c;
        Eigen::Matrix3f A_pq, S;
    };
    Fit fit(const PlainMatching::Region& region, const Eigen::Matrix3f& inverse) const;

    std::vector<Eigen::Matrix3f> spread_, inverse_;      ///< per region: A_qq and its inverse
    std::vector<std::vector<Eigen::Matrix3f>> stretch_;  ///< per region and example
    std::vector<float> gram_;                            ///< by columns
};

}  // namespace yawara::bench
