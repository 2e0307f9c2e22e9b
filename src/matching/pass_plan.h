// How many passes make a body as stiff as it should be.
#pragma once

namespace yawara::matching {

/// How often, and how the passes follow each other. Plain passes (wave = 0) take each goal as the next start; with a
/// wave the Chebyshev recurrence of [ProcDef] 12.1 makes a few of them as stiff as many plain ones.
struct PassPlan {
    int passes = 1;
    float alpha = 1;  ///< share of the displacement to the last goal that is taken
    double wave = 0;  ///< theta of cosh(theta) = (2 - rho) / rho for modes kept by up to rho a pass; 0: plain
    bool repeated() const { return passes > 1 || wave > 0; }
};

/// As stiff as `stiffness` plain passes (any number above 0) for slow motion, in about sqrt(stiffness / 1.3) passes: no
/// motion, however fast, keeps less than half of its stiffness. Below one pass, alpha is less than 1.
PassPlan accelerated_plan(double stiffness);
/// The same for passes that begin at the end of the step, in about sqrt(stiffness / 0.9) passes. What they keep of a
/// displacement, P, is above -1/4: below -1/3 the displacement x' = P (x + h v), h v' = x' - x would grow.
PassPlan implicit_plan(double stiffness);
/// The largest stiffness that accelerated_plan reaches.
double most_plain_passes();

/// How many plain passes are as stiff as these for slow motion.
double plain_equivalent(const PassPlan& plan);

}  // namespace yawara::matching
