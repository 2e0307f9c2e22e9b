// Reports of the sub-steps of a frame become one.
#include <algorithm>

#include "yawara/scene.h"

namespace yawara {

std::string_view to_string(Phase phase)
{
    constexpr std::string_view kNames[] = {"match", "goals", "integrate", "contact"};
    return kNames[std::size_t(phase)];
}

void MatchingReport::add(const MatchingReport& later)
{
    passes = std::max(passes, later.passes);
    restarts = std::max(restarts, later.restarts);
    robust_rotations = std::max(robust_rotations, later.robust_rotations);
    implicit = std::max(implicit, later.implicit);
}

void ShapeReport::add(const ShapeReport& later)
{
    *this = later;
}

void FemReport::add(const FemReport& later)
{
    const FemReport earlier = *this;
    *this = later;
    substeps += earlier.substeps;
    splits += earlier.splits;
    merges += earlier.merges;
    energy_jumps += earlier.energy_jumps;
    plastic_loss += earlier.plastic_loss;
    tolerance = std::max(tolerance, earlier.tolerance);
    largest_residual = std::max(largest_residual, earlier.largest_residual);
    smallest_volume = std::min(smallest_volume, earlier.smallest_volume);
    implicit_substeps += earlier.implicit_substeps;
    newton_rounds += earlier.newton_rounds;
    solver_rounds += earlier.solver_rounds;
    cut_short += earlier.cut_short;
    unsolved = std::max(unsolved, earlier.unsolved);
    energy_taken += earlier.energy_taken;
}

void ContactReport::add(const ContactReport& later)
{
    contacts = std::max(contacts, later.contacts);
    deepest = std::max(deepest, later.deepest);
    wedged = std::max(wedged, later.wedged);
    touches = std::max(touches, later.touches);
    overlap = std::max(overlap, later.overlap);
}

void StepReport::add(const StepReport& later)
{
    for (std::size_t k = 0; k < seconds.size(); ++k) seconds[k] += later.seconds[k];
    inverted = std::max(inverted, later.inverted);
    repaired_particles = std::max(repaired_particles, later.repaired_particles);
    repaired_numbers = std::max(repaired_numbers, later.repaired_numbers);
    shape.add(later.shape);
    contact.add(later.contact);
    kinetic_energy = later.kinetic_energy;
    elastic_energy = later.elastic_energy;
    momentum = later.momentum;
    angular_momentum = later.angular_momentum;
    center = later.center;
    matching.add(later.matching);
    fem.add(later.fem);
}

}  // namespace yawara
