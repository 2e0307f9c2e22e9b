// From a description to something that can be stepped: BodySpec -> build -> BodyModel, and the BodyState that moves.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "yawara/collider.h"
#include "yawara/domain.h"
#include "yawara/embedding.h"
#include "yawara/examples.h"
#include "yawara/fem.h"
#include "yawara/field.h"
#include "yawara/stretch.h"
#include "yawara/widths.h"

namespace yawara {

/// A solid simulated by shape matching of overlapping regions, one around every particle.
struct Matching {
    Domain domain{};
    int hops = 1;           ///< a region holds every particle within this many links
    Widths widths{};          ///< lattices only: regions whose reach differs from particle to particle
    StretchLayers stretch{};  ///< muscles, examples, ...; none: every region wants its rest shape
};

/// A solid that keeps its shape and moves as one. Its particles are where it touches, is held and is drawn: a coarse
/// mesh does, but particles are all that obstacles meet.
struct Rigid {
    Domain domain{};
    double mass = 0;                  ///< kg; 0: that of its density
    std::optional<Vec3d> inertia{};   ///< kg m^2, about x, y and z through the centre of mass; none: that of the solid
};

/// By volume; or as if all had the same volume, so that one density shares the total equally; or, of lattices alone, by
/// volume but moved from the faces of thin parts inwards, so that it bends as its Young's modulus says.
enum class Masses { lumped, uniform, bending };

struct BodySpec {
    std::string name = "body";
    std::variant<Matching, Fem, Rigid> solid;
    Field<double> density = 1000.0;    ///< kg/m^3
    Channels channels;                 ///< that the fields of this body may name
    Masses masses = Masses::lumped;    ///< how the total is spread
    std::vector<double> particle_masses;  ///< overrides density when not empty; one per particle, all positive
    TriMesh surface;                   ///< what is drawn; none: the outer faces of the solid
};

/// Immutable and precomputed; cheap to copy; one model may serve many bodies and threads.
class BodyModel {
public:
    struct Data;  // src/sim/body_model.h

    const std::string& name() const { return name_; }
    /// The same model under another name.
    BodyModel renamed(std::string name) const;
    std::size_t particle_count() const;
    std::size_t region_count() const;
    std::span<const Vec3d> rest_positions() const;
    std::span<const double> masses() const;
    const Domain& domain() const;
    const TriMesh& surface() const;
    const Embedding& embedding() const;
    bool is_fem() const;
    bool is_rigid() const;
    ForestView forest() const;  ///< of a finite-element body, else empty
    /// A typical distance between linked particles.
    double spacing() const;
    /// One report for each example, and how many sets of weights it has.
    std::span<const ExampleReport> examples() const;
    std::size_t example_groups() const;
    /// Names of what its cues listen to, in the order of MatchingState::controls.
    std::span<const std::string> example_controls() const;
    /// Young's modulus that one plain pass a step of dt gives it, Pa.
    double pass_young(double dt) const;
    /// Tells models apart: copies of a model have its number, every newly built one has another.
    std::uint64_t revision() const;
    /// Things worth knowing that were no reason to refuse.
    std::span<const std::string> warnings() const;

    const Data& data() const { return *data_; }
    explicit BodyModel(std::shared_ptr<const Data> data);

private:
    std::shared_ptr<const Data> data_;
    std::string name_;
};

Result<BodyModel> build(BodySpec spec);

/// How a body meets other bodies and itself. Obstacles bring their own friction and restitution.
struct ContactSettings {
    bool bodies = true;        ///< touches other bodies that want it too
    bool self = false;         ///< folds of the body touch each other
    float friction = 0.5f;     ///< two bodies: the geometric mean of theirs
    float restitution = 0.0f;  ///< share of the speed of approach given back at a touched point; two bodies: the larger
    /// m, how far before the outer triangles contact begins; 0: 4 % of their edges, of a rigid body 0.4 % of its size
    float thickness = 0.0f;
    ContactFilter filter{};    ///< whom it meets: other bodies and obstacles
};

/// Numbers of a matching body that may change while it runs.
struct MatchingSettings {
    float alpha = 1.0f;           ///< stiffness in (0, 1]: share of the displacement to the goal taken in a step
    float beta = 0.995f;          ///< strength of the examples in [0, 1]: below 1 the body goes back to its rest shape
    int passes = 1;               ///< goals of goals: stiffer, at this many times the cost
    bool accelerate = false;      ///< reach the stiffness of `passes` in about the square root of that many
    float young = 0.0f;           ///< Pa; above 0: as stiff as this modulus for any mesh and step, instead of `passes`
    bool align = true;            ///< with several passes: turn the goals so that no spin is created
    float damping = 0.03f;        ///< share of the non-rigid velocity of the body removed per 1/300 s
    float region_damping = 0.0f;  ///< the same, per region, weak: now and then; damps neighbours against each other
    double time_offset = 0;       ///< s: how far its stretch layers are ahead of the scene's clock
    friend bool operator==(const MatchingSettings&, const MatchingSettings&) = default;
};

/// Numbers that may change while a body runs: common ones, and a part for each kind of solid, of which its own counts.
struct BodySettings {
    MatchingSettings matching{};
    FemSettings fem{};
    ContactSettings contact{};
    float drag = 0.0f;     ///< air: rate of velocity loss, 1/s
    bool measure = false;  ///< report energies and momentum: costs about half a matching pass
};

/// What only a matching body keeps from step to step.
struct MatchingState {
    std::vector<float> rotations;  ///< warm starts: rotations of the regions, see matching/match.h
    std::vector<float> stiffness;  ///< per particle, if Widths::stiffness decides: may change at any time, 0..1
    float resting = 0;             ///< s, how long friction has held it on obstacles with its shape quiet
    float undamped = 0;            ///< s since its regions were damped
    std::vector<float> controls;   ///< of examples, see BodyModel::example_controls(): may change at any time
    std::vector<float> heard;      ///< per cue of the examples and group (or region, if each is its own): what is heard
    std::vector<float> kept;       ///< per such group and example: weight that the body keeps, if its examples are plastic
    friend bool operator==(const MatchingState&, const MatchingState&) = default;
};

/// What only a finite-element body keeps from step to step.
struct FemState {
    std::vector<Vec3> accelerations;  ///< m/s^2, of the nodes at the end of the last sub-step, without gravity
    std::vector<std::int32_t> front;  ///< per tet with children: 0, or 1 + checks without need for its split
    std::vector<float>
        plastic;  ///< six per finest tet, if its material flows: F^T F - I of the rest shape, order xx yy zz xy xz yz
    std::vector<Vec3> shear;  ///< m, per surface node: how far friction has let it go along what it sticks to
    float substep = 0;            ///< s, the last one; 0: none yet
    float substep_reduction = 0;  ///< how many times 15 % shorter than at rest sub-steps are, rounded up
    friend bool operator==(const FemState&, const FemState&) = default;
};

/// Everything that moves. A value: copy it to undo, replay or branch. Of the parts, only that of the body's kind is
/// used.
struct BodyState {
    std::vector<Vec3> positions;   ///< m, one per particle
    std::vector<Vec3> velocities;  ///< m/s
    float still = 0;               ///< s, how long the body has been nearly at rest: sleeps after a while, if allowed
    MatchingState matching;
    FemState fem;
    friend bool operator==(const BodyState&, const BodyState&) = default;
};

/// Level of the active tet that covers each finest tet now; empty if it is not a finite-element body.
std::vector<std::int32_t> active_levels(const BodyModel& model, const BodyState& state);
/// Corners of the tets that are active now, by particles; empty if it is not a finite-element body.
std::vector<Int4> active_tets(const BodyModel& model, const BodyState& state);
/// Which edges of the model's surface are edges of active tets: per triangle three bits, edge k goes from corner k to
/// the next. Empty if the surface is not the outside of finite elements.
std::vector<std::uint8_t> front_lines(const BodyModel& model, const BodyState& state);

/// The body at rest, placed and thrown: velocity v + spin x (position - centre of mass).
BodyState initial_state(const BodyModel& model, const Placement& placement = {}, Vec3d velocity = {}, Vec3d spin = {});

/// Weights of the examples in a state: for each group (for each region, if every one is its own), the rest shape's first;
/// they are not negative and add up to one, [Examples] 3.6. `time`: of the body's stretch layers; `dt`: of a step, on which
/// widths may depend.
std::vector<float> example_weights(const BodyModel& model, const BodyState& state, double time = 0,
                                   double dt = 1.0 / 300.0);
/// What the examples do to the region of every particle: sum of weight times |S - I|, [Examples] 11.9. Zeros without.
std::vector<float> example_pull(const BodyModel& model, const BodyState& state, double time = 0,
                                double dt = 1.0 / 300.0);

/// Which loads awaken which example, [Examples] 12.9.
struct ExampleCoupling {
    std::string load;             ///< "squeeze along y"
    std::vector<double> weights;  ///< of the examples, without bounds: below zero the load works against it
};
/// Weights of the examples of a group (of all regions together, if every one is its own) when the whole body is a
/// little squeezed, stretched, sheared, bent and twisted about every axis.
std::vector<ExampleCoupling> example_couplings(const BodyModel& model, std::size_t group = 0);
/// The same for a state.
std::vector<double> raw_example_weights(const BodyModel& model, const BodyState& state, std::size_t group = 0);

/// Links that the regions of a lattice body reach, and their alphas, in a state and with steps of dt; else empty.
struct RegionReach {
    std::vector<Int3> reach;
    std::vector<float> alphas;
};
RegionReach region_reach(const BodyModel& model, const BodyState& state, double dt);

/// Particles in the region around one, in a state and with steps of dt; none if the body has no regions.
std::vector<std::int32_t> region_members(const BodyModel& model, const BodyState& state, double dt,
                                         std::size_t particle);
/// How many those are, for every particle.
std::vector<float> region_sizes(const BodyModel& model, const BodyState& state, double dt);

/// The largest Young's modulus, Pa, that a body's law of stiffness or its settings ask for, and that steps of dt can
/// give; zeros if neither asks for one.
struct ModulusReach {
    double wanted = 0, possible = 0;
};
ModulusReach modulus_reach(const BodyModel& model, const BodySettings& settings, double dt);

/// Particles held to a target. Hard: they are there at the end of the step. Soft: a spring pulls them.
struct Grip {
    std::vector<std::int32_t> particles;
    std::vector<Vec3> targets;         ///< one per particle, where it should be at the end of the step
    std::vector<Vec3> target_velocities;  ///< one per particle, or empty: at rest
    float stiffness = 0.0f;            ///< N/m for each particle; 0: hard
};

/// An external force on some particles.
struct Push {
    std::vector<std::int32_t> particles;  ///< empty: all
    Vec3 force{};                      ///< N, on each of them
    Vec3 acceleration{};               ///< m/s^2
};

}  // namespace yawara
