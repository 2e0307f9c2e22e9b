// The plain twin of the implicit step: backward Euler by Newton's method in doubles, as a textbook has it. Element
// Hessians made positive by their eigenvalues, Eigen's sparse factorisation in every round, halving line search.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "yawara/mesh.h"

namespace yawara::bench {

class PlainNewton {
public:
    /// Material of St. Venant-Kirchhoff. Nodes in `held` stay where they are.
    PlainNewton(const TetMesh& mesh, std::span<const double> masses, double lambda, double mu,
                std::span<const std::int32_t> held);
    ~PlainNewton();

    /// One step of h, s. Newton goes on until no node would move by more than `accuracy`, m.
    void step(double h, Vec3d gravity, double accuracy);
    Vec3d position(std::size_t node) const;
    int rounds() const;  ///< of all steps

private:
    struct Data;  // Eigen's matrices lie otherwise in memory where newer instructions are used
    std::unique_ptr<Data> data_;
};

}  // namespace yawara::bench
