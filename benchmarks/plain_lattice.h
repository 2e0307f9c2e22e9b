// Two twins of the lattice step, written plainly with Eigen: the published fast summation (sliding bars, plates, boxes;
// uniform width, solid blocks), and brute force over lists of members.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <vector>

#include "yawara/lattice.h"

namespace yawara::bench {

/// A solid block of nx x ny x nz particles at unit distance, all of mass 1.
class PlainLattice {
public:
    PlainLattice(Int3 size, int width, bool brute_force);
    void step(float dt);

    std::vector<Eigen::Vector3f> rest, positions, velocities;

private:
    template <std::size_t N>
    using Channels = std::vector<Eigen::Array<float, int(N), 1>>;
    template <std::size_t N>
    void box_sum(Channels<N>& values, Channels<N>& scratch) const;
    void sums_by_boxes();
    void sums_by_lists();
    void rotate();
    void goals_by_boxes();
    void goals_by_lists();

    Int3 size_;
    int width_;
    bool brute_;
    std::vector<float> shared_mass_, region_mass_;
    std::vector<Eigen::Vector3f> rest_center_, goal_;
    std::vector<int> holders_;
    Channels<12> particle_, region_, scratch_;  ///< m x and m x x0^T; then R and t
};

}  // namespace yawara::bench
