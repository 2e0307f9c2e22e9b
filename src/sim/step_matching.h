// The step of a body that is simulated by shape matching; step (sim/solid_kind.cpp) comes here.
#pragma once

#include <optional>
#include <vector>

#include "contact/clearances.h"
#include "matching/damping.h"
#include "matching/passes.h"
#include "sim/lattice_regions.h"
#include "sim/medium.h"
#include "sim/solid_kind.h"

namespace yawara {

/// Scratch of a step.
struct MatchingWorkspace {
    explicit MatchingWorkspace(const BodyModel::Data& model);

    matching::MatchMemory match;
    matching::RigidDamping rigid_damping;
    LatticeFit lattice;
    std::vector<Vec3> positions_before, velocities_before;
    std::vector<Vec3> velocities_untouched;      ///< before obstacles push, if examples listen to contact
    std::vector<int> chunk_counts;               ///< per chunk of particles
    std::vector<Vec3d> chunk_displacements;      ///< sum of mass times displacement, likewise
    std::vector<double> chunk_squares;           ///< sum of mass times displacement squared, likewise
    std::vector<Sym3> wanted_now, wanted_later;  ///< of one stretch layer, per region
    std::vector<Vec3> fibers;                    ///< where they point now, if an obstacle wants to know
    std::vector<matching::HeldSlot> held;        ///< what hard grips hold
    std::vector<std::int32_t> held_particles;
    std::vector<Vec3> predicted;          ///< at the end of the step without goals: of accelerated passes
    matching::PassContacts contacts;      ///< likewise: obstacles there
    std::optional<MediumSurface> medium;  ///< made when there is one
};

/// What saves time if it is kept from step to step.
struct MatchingMemory {
    contact::Clearances clearances;
    matching::PassPlan plan, implicit_plan;  ///< for this many plain passes:
    double plan_stiffness = -1;
};

extern const SolidKind kMatchingKind;

}  // namespace yawara
