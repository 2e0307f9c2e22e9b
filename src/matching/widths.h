// From stiffness to regions: which width and which alpha every particle's region gets.
#pragma once

#include <span>
#include <vector>

#include "matching/box_classes.h"
#include "yawara/core.h"
#include "yawara/widths.h"

namespace yawara::matching {

/// Resistance to stretch of a region of this width that takes the whole way: E h^2 / (rho d^2), [CVG] 5.7.
double resistance(int width);

/// yawara::Widths with its fields sampled.
struct ParticleWidths {
    RegionRule rule = RegionRule::sharp;
    std::vector<Int3> reach;       ///< links along x, y, z, per particle; empty: hops, or by stiffness
    std::vector<float> alphas;     ///< per particle; empty: 1
    std::vector<float> stiffness;  ///< S per particle; empty: it does not decide
    StiffnessLaw law{};
    float rigid = 0.9f;  ///< see yawara::Widths
};

/// Widths of a lattice body, checked, and the classes they come in.
class WidthPlan {
public:
    /// `hops` holds where nothing else is said. `thickness` of the body, in cells: a body that bends is too stiff if
    /// regions reach across it, so a modulus takes no wider ones than a third of it.
    static Result<WidthPlan> make(ParticleWidths widths, int hops, std::size_t particles, double density, double cell,
                                  double thickness);

    /// For regions by lists, which all reach `hops` links: stiffness becomes an alpha.
    static Result<WidthPlan> make_even(ParticleWidths widths, int hops, std::size_t particles, double density,
                                       double spacing);

    std::span<const Reach> classes() const { return classes_; }
    RegionRule rule() const { return widths_.rule; }
    const ParticleWidths& widths() const { return widths_; }
    /// Stiffness decides.
    bool by_stiffness() const { return !widths_.stiffness.empty(); }
    /// ... and the length of the step too.
    bool by_step() const { return by_stiffness() && widths_.law.kind == StiffnessLaw::Kind::young; }
    bool even() const { return even_; }

    /// As many plain passes as a step of dt needs for the stiffest of these particles, where the widest regions alone
    /// do not give its modulus; at least 1. For regions by boxes.
    double passes(std::span<const float> stiffness, double dt) const;
    /// `stiffness`: as it is now, one per particle; used if by_stiffness(). A step makes passes() of it.
    BoxChoice choose(std::span<const float> stiffness, double dt) const;
    /// Alphas of even regions, one per particle, where a step in which all are 1 has this modulus times the step
    /// squared, Pa s^2. What is stiffer than that gets 1.
    std::vector<float> alphas(std::span<const float> stiffness, double dt, double available) const;
    /// Young's modulus, Pa, that a pass in a step of dt can give at most; 0: anything.
    double reachable(double dt) const;

private:
    ParticleWidths widths_;
    std::vector<Reach> classes_;
    std::vector<std::uint8_t> class_of_;  ///< per particle, unless by stiffness
    std::vector<int> widths_by_law_;      ///< that stiffness chooses from
    /// Resistance that a stiffness stands for, in units of a step.
    double wanted(float stiffness, double dt) const;

    double density_ = 1000, cell_ = 1;
    bool even_ = false;
};

}  // namespace yawara::matching
