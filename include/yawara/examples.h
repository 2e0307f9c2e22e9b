// Example shapes: poses of a body that it prefers to deform towards, [Examples].
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "yawara/field.h"
#include "yawara/stretch.h"

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

/// What the weight of an example may listen to besides the shape of the body, [Examples] 12.12.
enum class CueSource {
    speed,    ///< root mean square of the speeds of the group's particles, m/s
    contact,  ///< how much speed contact took from or gave to the group a while ago until now, m/s: see ExampleCue::fade
    control   ///< a number that the program or a script sets: MatchingState::controls
};

/// One more row of the descriptor: the rest shape has 0 there, the example 1, and the body what it hears. Blends are
/// chosen to be near in shape and in what is heard.
struct ExampleCue {
    std::string pose;
    CueSource source = CueSource::control;
    std::string control{};                 ///< name of what it listens to, if that is a control
    std::optional<std::int32_t> group{};   ///< that listens; none: each for itself
    double low = 0, high = 1;              ///< up to low it asks for the rest shape, from high on for the example
    double fade = 0.2;                     ///< s: what is heard follows its source by this time; contact fades by it
    double strength = 10;                  ///< how much the row counts: 1 is as much as the whole shape of the example
    friend bool operator==(const ExampleCue&, const ExampleCue&) = default;
};

/// A body that keeps a part of the examples it was in, [Examples] 12.14: the shape that it goes back to creeps towards
/// the blend of now.
struct ExamplePlasticity {
    double yield = 0.1;     ///< how far the weights may be from those kept before any of it is kept
    double rate = 5;        ///< 1/s, at which what is beyond becomes kept
    double recovery = 0.1;  ///< 1/s, at which what is kept is forgotten
    double bound = 0.8;     ///< most that is kept: sum of the weights
    friend bool operator==(const ExamplePlasticity&, const ExamplePlasticity&) = default;
};

struct ExampleSet {
    std::vector<ExamplePose> poses;  ///< none: plain shape matching
    std::optional<Field<std::int32_t>>
        groups;                ///< label of each region, 0 and up: weights of their own; none: one group
    bool each_region = false;  ///< every region is a group of its own, without `groups`
    /// m: how far the weights of `groups` reach into their neighbours, [Examples] 12.11; 0: they end at the border
    double border = 0;
    std::vector<ExampleCue> cues{};
    std::optional<ExamplePlasticity> plasticity{};  ///< none: the body keeps nothing
    ExampleMetric metric = ExampleMetric::energy;
    ExampleWeights weights = ExampleWeights::exact;
    ExampleRotation rotation = ExampleRotation::optimal;
    ExampleGoal goal = ExampleGoal::automatic;
};

/// The examples as a layer of stretch; a body has one at most. How strong it is, BodySettings::beta says.
std::shared_ptr<const StretchLayer> examples(ExampleSet set);
/// The set of such a layer, or null for other layers.
const ExampleSet* example_set(const StretchLayer& layer);

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
