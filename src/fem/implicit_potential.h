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
    /// The same of inertia and tets, without springs and obstacles, and the gradient of these.
    Energy find_slope(const std::vector<Vec3d>& x);
    /// Gradient and matrix at x, and what drives the step from there.
    void differentiate(const std::vector<Vec3d>& x);
    /// Lets those contacts count, in the matrix and in what drives the step, that do not touch at x but would at its
    /// end, and friction as it will be there: sliding or not. Returns whether any of it has changed.
    bool foresee(const std::vector<Vec3d>& x, const std::vector<Vec3d>& there);
    /// From now on friction is taken as it is at x: steps are shorter, but do not mistake what sticks for what slides.
    void stop_foreseeing_friction() { foresees_friction_ = false; }
    /// Friction goes by the present normal forces from now on.
    void press(const std::vector<Vec3d>& x);
    /// On the body, N, of an obstacle at a node that is at p.
    Vec3d force(const ImplicitWork::Obstacle& obstacle, Vec3d p) const;
    /// Energy of springs and obstacles alone, without bounces, J.
    double outer_energy(const std::vector<Vec3d>& x) const;

private:
    void sum_gradient();
    void measure_inertia(const std::vector<Vec3d>& x);
    void differentiate(ImplicitWork::Obstacle& obstacle, Vec3d p);
    bool foresee_friction(ImplicitWork::Obstacle& obstacle, Vec3d now, Vec3d then);
    void add(const Support& at, Vec3d gradient, const Mat3d& hessian);
    template <class Then>
    void for_each_row(const Support& at, const Then& then) const;

    const Front& front_;
    ImplicitWork& own_;
    double per_h2_, slow_;
    bool foresees_friction_ = true;
};

/// own.x becomes the best of some first guesses: where the body was, where inertia alone would carry it, moved rigidly
/// unless it is held, and where anything holds or may touch it, with the accelerations of the step before. `start`:
/// elastic energy there. Returns its energy.
IncrementalPotential::Energy guess(double h, double start, IncrementalPotential& potential, Workspace& work);

/// What became of a search for the minimum.
struct Minimised {
    int rounds = 0, conjugate = 0;
    double elastic = 0;   ///< J, at the end
    double left = 0;      ///< m, about: how far the positions still are from the minimum
    bool enough = false;  ///< that is little enough
};

/// Which share of its error a round with the matrix at rest leaves to the next, per deformation (rms, of the rms size),
/// with steps of length h: as seen when the body is bent, sheared and stretched a little by forces that grow to its
/// ends. own.rest is ready, own.tets has begun.
double measure_rest(const FemModel& model, const Front& front, double h, bool held, ImplicitWork& own);

/// Downhill with the second derivative that the body has at rest, turned with it; from where its inertia and the
/// accelerations of the step before would carry it. Quicker than Newton's method where strains are small and nothing
/// but inertia acts; elsewhere it soon gives up, and is not `enough`.
Minimised minimise_by_rest(const FemModel& model, const Front& front, IncrementalPotential& potential, double h,
                           Workspace& work);

/// Newton's method from own.x, downhill; the rows of a body that nothing holds may turn as a whole.
Minimised minimise(const FemModel& model, const Front& front, IncrementalPotential& potential,
                   IncrementalPotential::Energy now, double h, bool held, ImplicitWork& own);

}  // namespace yawara::fem
