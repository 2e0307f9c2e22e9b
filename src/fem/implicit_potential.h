// The incremental potential of an implicit step: inertia, tets, soft grips, and obstacles with friction; and its
// minimum. implicit.cpp comes here.
#pragma once

#include "fem/advance.h"

namespace yawara::fem {

/// Nodes that a worker takes at once.
inline constexpr std::size_t kImplicitNodesPerChunk = 256;

/// Of values of the used nodes, where something rests on them.
Vec3d mean(const Support& at, const std::vector<Vec3d>& values);
/// Hanging nodes to the middle of their parents.
void interpolate(const Front& front, std::vector<Vec3d>& x);

class IncrementalPotential {
public:
    /// Of what `own` holds, for a step of length h.
    IncrementalPotential(const FemModel& model, const Front& front, ImplicitWork& own, double h);

    /// J: of all, and elastic energy alone.
    struct Energy {
        double all, elastic;
    };
    Energy energy(const std::vector<Vec3d>& x);
    /// The same, if the tets' is known already.
    Energy energy(const std::vector<Vec3d>& x, const ElementEnergy& of_tets);
    /// Gradient and matrix at x, and what drives the step from there.
    void differentiate(const std::vector<Vec3d>& x);
    /// Lets those contacts count, in the matrix and in what drives the step, that do not touch at x but would at its
    /// end. Returns whether any have come or gone.
    bool foresee(const std::vector<Vec3d>& x, const std::vector<Vec3d>& there);
    /// Friction goes by the present normal forces from now on.
    void press(const std::vector<Vec3d>& x);
    /// On the body, N, of an obstacle at a node that is at p.
    Vec3d force(const ImplicitWork::Obstacle& obstacle, Vec3d p) const;
    /// Energy of springs and obstacles alone, without bounces, J.
    double outer_energy(const std::vector<Vec3d>& x) const;

private:
    void measure_inertia(const std::vector<Vec3d>& x);
    void differentiate(const ImplicitWork::Obstacle& obstacle, Vec3d p);
    void add(const Support& at, Vec3d gradient, const Mat3d& hessian);
    template <class Then>
    void for_each_row(const Support& at, const Then& then) const;

    const Front& front_;
    ImplicitWork& own_;
    double per_h2_, slow_;
};

/// own.x becomes the best of some first guesses: where the body was, where inertia alone would carry it, and moved
/// rigidly, or if it is held, with the accelerations of the step before. `start`: elastic energy there. Returns its
/// energy.
IncrementalPotential::Energy guess(double h, double start, IncrementalPotential& potential, Workspace& work);

/// Newton's method from own.x, downhill; the rows of a body that nothing holds may turn as a whole.
struct Minimised {
    int rounds = 0, conjugate = 0;
    double elastic = 0;   ///< J, at the end
    double left = 0;      ///< m, about: how far the positions still are from the minimum
    bool enough = false;  ///< that is little enough
};
Minimised minimise(const FemModel& model, const Front& front, IncrementalPotential& potential,
                   IncrementalPotential::Energy now, double h, bool held, ImplicitWork& own);

}  // namespace yawara::fem
