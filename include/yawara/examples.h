// Example shapes: poses of a body that it prefers to deform towards, [Examples].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "yawara/field.h"

namespace yawara {

/// How the distance between two stretches is measured, [Examples] 3.5, 12.3.
enum class ExampleMetric {
    energy,     ///< the work the goals do: weighs regions by mass times size squared
    frobenius,  ///< every region alike, whatever the axes
    plain6      ///< the paper's six numbers: depends on how the model was turned
};

/// How weights become a convex combination, [Examples] 3.6.
enum class ExampleWeights {
    exact,  ///< nearest point of the hull of rest and examples
    finite  ///< the paper's removal of negative weights, in the form that ends
};

/// What turns a region's wanted shape, [Examples] 3.9.
enum class ExampleRotation {
    optimal,  ///< the best fit of the wanted shape: creates no spin
    fitted,   ///< the rotation of the region's linear fit, as in the paper
    joint     ///< together with the weights the least of one energy, whose gradient the goals are, [Examples] 12.6: a
              ///< body without damping keeps it. Needs the energy metric and exact weights
};

/// What a region wants of its members, [Examples] 12.5.
enum class ExampleGoal {
    automatic,  ///< offsets for bodies so coarse that an example would lose a tenth of its energy, else affine
    affine,     ///< the rest shape, stretched
    offsets     ///< the members where the examples have them: an example is a place of rest on any mesh
};

struct ExamplePose {
    std::string name;
    std::vector<Vec3d> positions;  ///< one per particle
};

struct ExampleSet {
    std::vector<ExamplePose> poses;  ///< none: plain shape matching
    std::optional<Field<std::int32_t>>
        groups;                ///< label of each region, 0 and up: weights of their own; none: one group
    bool each_region = false;  ///< every region is a group of its own, without `groups`
    ExampleMetric metric = ExampleMetric::energy;
    ExampleWeights weights = ExampleWeights::exact;
    ExampleRotation rotation = ExampleRotation::optimal;
    ExampleGoal goal = ExampleGoal::automatic;
};

/// The choices of the paper, for comparison.
inline ExampleSet paper_variant(ExampleSet set)
{
    set.metric = ExampleMetric::plain6;
    set.weights = ExampleWeights::finite;
    set.rotation = ExampleRotation::fitted;
    set.goal = ExampleGoal::affine;
    return set;
}

/// What is worth knowing about an example before anything moves, [Examples] 5.
struct ExampleReport {
    std::string name;
    int inverted_regions = 0;  ///< turned inside out in the pose
    double size = 0;         ///< root of its distance from rest by the metric, a share of that of a body twice as long
    double energy_left = 0;  ///< share of plain matching's energy that remains in the pose with affine goals
};

}  // namespace yawara
