// The regions of a lattice body: built once, and fitted anew when stiffness or the step change while it runs.
#pragma once

#include <optional>

#include "matching/match.h"
#include "matching/rigid_pieces.h"
#include "matching/widths.h"
#include "yawara/body.h"

namespace yawara {

struct LatticeRegions {
    matching::Regions regions;
    matching::WidthPlan widths;
};

/// Lattices are, unless they have examples that look at lists: for offsets and joint rotations, and for offsets that
/// may turn out to be needed where regions are alike. Their stiffness then makes alphas, as on tets.
bool summed_by_boxes(const Matching& solid, const ExampleSet* examples);

/// Checks the widths and builds the regions for steps of `dt` at first.
Result<LatticeRegions> build_lattice_regions(const Matching& solid, matching::ParticleWidths widths,
                                             std::span<const Vec3d> rest, std::span<const double> masses,
                                             double dt = 1.0 / 300.0);

/// The stiffness of the particles as the model was built; empty if it does not decide about the regions.
std::span<const float> built_stiffness(const BodyModel::Data& model);
/// The stiffness of a state's particles, or as built if the state was made by hand.
std::span<const float> stiffness_now(const BodyModel::Data& model, const BodyState& state);

/// See modulus_reach; of a matching body, whether it is a lattice or not.
ModulusReach matching_modulus_reach(const BodyModel& model, const BodySettings& settings, double dt);

/// What a running lattice body has of its own: what its regions were last fitted to, and rigid pieces.
class LatticeFit {
public:
    /// Cheap if nothing has changed.
    void update(const BodyModel& model, const matching::WidthInput& now, matching::MatchMemory& memory);
    matching::RigidPieces& pieces() { return pieces_; }

private:
    std::vector<float> fitted_;
    std::vector<std::int32_t> held_;
    double dt_ = 0, available_ = 0;
    bool started_ = false;
    matching::RigidPieces pieces_;
};

}  // namespace yawara
