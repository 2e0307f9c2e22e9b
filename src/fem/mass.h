// Solves with the mass matrix of a front, and what it says about the motion: momentum, energy, inertia.
#pragma once

#include "fem/front.h"

namespace yawara::fem {

/// A factor of the mass matrix, M = L D L^T, finest nodes first so that little fills in. For small fronts.
class MassFactor {
public:
    void factor(const Front& front, std::span<const std::uint8_t> fixed);
    /// Solves M x = b for the nodes that are neither hanging nor fixed; x of the others is given and stays.
    void solve(const Front& front, const Nodal& b, Nodal& x);
    bool is_of(const Front& front, std::span<const std::uint8_t> fixed) const;
    void reserve(std::size_t nodes);

private:
    std::uint64_t revision_ = 0;
    std::vector<std::uint8_t> fixed_;
    std::vector<std::int32_t> order_, place_;   ///< open nodes in the order of elimination, and back
    std::vector<std::int32_t> offsets_, rows_;  ///< L by columns
    std::vector<float> values_, inverse_diagonal_;
    std::vector<std::int32_t> parent_, counts_, flags_, pattern_;
    std::vector<float> row_;
    Nodal scratch_;
};

/// A factor for small fronts, else conjugate gradients with the diagonal as preconditioner; the spectrum lies within
/// [0.4, 2.5] for any front.
class MassSolver {
public:
    /// M x = b for the free nodes that are not fixed; x is the first guess and keeps its values at the others. Fixed
    /// may be empty. Ends when the residual is `tolerance` times the right-hand side. Returns the rounds taken.
    int solve(const Front& front, const Nodal& b, std::span<const std::uint8_t> fixed, double tolerance, Nodal& x);

    /// Room for fronts of that many nodes.
    void reserve(std::size_t nodes);

private:
    MassFactor factor_;
    Nodal residual_, direction_, product_;
    std::vector<double> sums_;
};

struct Momentum {
    Vec3d linear;                   ///< kg m/s
    Vec3d angular;                  ///< kg m^2/s about `about`
    Vec3d center;                   ///< of mass, m
    double kinetic = 0;             ///< J
    Mat3d inertia = Mat3d::zero();  ///< about the centre of mass
};
/// x such that m x = b, for a matrix that may be singular (then the least x).
Vec3d solve_symmetric(const Mat3d& m, Vec3d b);

/// Sums over a front in double; the same bits for any number of threads.
class Tally {
public:
    /// By the mass matrix of the front, so of all finest nodes.
    Momentum momentum(const Front& front, const Nodal& x, const Nodal& v, Vec3d about);
    /// J. The barrier counts if it is on.
    double elastic_energy(const FemModel& model, Front& front, const Nodal& x, bool barrier);
    /// Room for that many nodes or tets.
    void reserve(std::size_t count);

private:
    struct Sums {
        double mass = 0, kinetic = 0;
        Vec3d linear, angular, moment;
        Mat3d second = Mat3d::zero();

        void add(const Sums& other);
    };
    std::vector<Sums> motions_;
    std::vector<double> energies_;
};

}  // namespace yawara::fem
