// The kinds of solid that a body can be made of. What they do differently is asked here and nowhere else.
#pragma once

#include <memory>

#include "yawara/scene.h"

namespace yawara {

/// One row of the table: a kind, and what it does where others do something else.
struct SolidKind {
    /// Memory for stepping a body.
    void (*prepare)(const BodyModel& model, Workspace::Data& work);
    /// The part of the state that is its own, of a body at rest that was turned as a whole.
    void (*start)(const BodyModel::Data& model, const Mat3d& turn, BodyState& state);
    /// One step. Energies and momenta of motion are measured by the caller.
    StepReport (*step)(const BodyModel& model, const BodySettings& settings, const StepInput& input, BodyState& state,
                       Workspace::Data& work);
    /// The static equilibrium; null: it is found by motion only.
    Result<SettleReport> (*settle)(const BodyModel& model, const BodySettings& settings, const StepInput& input,
                                   BodyState& state, Workspace::Data& work);
    /// Into how many slices a step of dt has to be cut when the body may meet another, see sim/slices.h.
    int (*slices)(const BodyModel::Data& model, const BodySettings& settings, double dt);
    /// It makes a step of its own in every slice; otherwise it makes one step and goes its path in slices.
    bool steps_in_slices;
    /// Ribs keep the two sides of its thin parts apart, see contact/ribs.h.
    bool needs_ribs;
    /// What the solver of a body remembers, carried over to another model of the same kind. `nearest`: for every new
    /// particle the old one that moves most like it.
    void (*carry)(const BodyModel::Data& before, const BodyState& state, const BodyModel::Data& after,
                  const TopologyChange& change, std::span<const std::int32_t> nearest, BodyState& next);
    /// How stiff every particle is, as the quantity "stiffness" shows it; empty: the same everywhere.
    std::vector<float> (*stiffness)(const BodyModel::Data& model, const BodyState& state);
    /// See yawara::modulus_reach; null: steps of any length give the modulus that is asked for.
    ModulusReach (*modulus_reach)(const BodyModel& model, const BodySettings& settings, double dt);
};

const SolidKind& kind_of(const BodyModel& model);

}  // namespace yawara
