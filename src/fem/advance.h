// One step of a finite-element body: sub-steps, contact, grips, and the front that follows the motion.
// step (sim/step_fem.cpp) comes here; the force loop is in fem/kernels.inl.
#pragma once

#include "core/grips.h"
#include "fem/front.h"
#include "fem/implicit.h"
#include "fem/mass.h"
#include "yawara/body.h"
#include "yawara/scene.h"

namespace yawara::fem {

/// A surface node of the finest level that may touch an obstacle soon.
struct Candidate {
    std::int32_t node;   ///< of the forest
    std::int32_t place;  ///< among the model's surface nodes; -1: of the inside
    float stiffness, mass;
    Support support;
    double clear;  ///< m: it reaches no obstacle as long as nodes have moved less than this, see Workspace::reach
    Vec3 force;    ///< of the last sub-step
    float blow;    ///< m: how deep its landing, now or in the next sub-step, will press it in
    Vec3 seen{};   ///< m, in the world: where it was when it was last asked; valid if `asked`
    bool asked = false;
    /// The surfaces that were nearest when it was last asked, as planes.
    struct Wall {
        Vec3 normal, velocity;
        float height;  ///< m, of the node over it
        float friction;
    };
    std::array<Wall, 2> walls{};
    std::int32_t wall_count = 0;
};

/// A midpoint that wants to be free, so that the tets at its edge have to be split.
struct SplitRequest {
    float residual;  ///< m, how far it would leave the middle of its edge
    std::int32_t midpoint;
};

/// The edges of those active tets that could be split: what the residual rule asks about. Valid for one front.
struct ActiveEdges {
    struct Edge {
        std::int32_t midpoint;   ///< of the forest
        std::int32_t a, b, own;  ///< indices in Front::used of its ends and of the midpoint; own = -1: not used
        float mass;              ///< kg, of the midpoint's hat function over the active tets at the edge
        float per_force;         ///< m/N, how far the midpoint would yield to a force
    };
    struct Tet {
        std::int32_t active_index;  ///< index in Front::active
        std::int32_t edges[6];
    };
    std::uint64_t revision = 0;  ///< of the front
    std::vector<Edge> edges;
    std::vector<Tet> tets;
    Nodal residuals;                   ///< N, per edge
    std::vector<std::int32_t> number;  ///< per forest node, scratch: -1 between uses
};

struct Workspace {
    /// With room for any front, so that changes of it allocate nothing; see Front.
    explicit Workspace(const FemModel& model);

    Front front;
    Vec3d contact_impulse{};  ///< N s, by obstacles since it was last set to zero
    /// The front before the last change, and its values.
    struct {
        Front front;
        Nodal x, v, a;
    } old;
    std::vector<std::uint8_t> front_splits;  ///< what the front was built from
    bool front_lumped = false;
    MassSolver mass;
    Tally tally;
    /// Positions and velocities are those in a frame that starts at a node of the body and falls with it, unless nodes
    /// are held: then it stands at the origin of the world. In single precision a body in free fall keeps its shape.
    struct {
        bool falls = false;
        Vec3d origin, velocity;
        Vec3d center,
            angular;  ///< centre of mass and angular momentum of all nodes in the frame, at the start of the step
    } frame;
    Vec3 to_world(Vec3 local) const { return (frame.origin + local.as<double>()).as<float>(); }
    Vec3 velocity_in_world(Vec3 local) const { return (frame.velocity + local.as<double>()).as<float>(); }
    Nodal x, v, a;                 ///< of the used nodes; a without gravity
    Nodal force, raw_force;        ///< N: restricted to the free nodes; and as the sum over the tets
    Nodal push;                    ///< N, of pushes, for this step
    std::vector<Vec3> push_loads;  ///< N, the same on the hat functions of all forest nodes; empty: none
    struct GripLoad {
        std::int32_t node;  ///< of the forest
        Vec3 force;
    };
    std::vector<GripLoad> grip_loads;  ///< N, of soft grips in the last sub-step
    Nodal scratch;
    AlignedVector<float> corner_forces;
    std::vector<std::uint8_t> fixed;        ///< per used node: 1 if a hard grip holds it; empty: none is held
    std::vector<std::int32_t> fixed_nodes;  ///< forest nodes that hard grips hold
    std::vector<Vec3> fixed_velocities;     ///< m/s, of each fixed node: to its target within the step
    /// Per forest node: 0 not held; 1 held by a hard grip; 2 held, and a midpoint that the front must leave free, since
    /// its target is not halfway between those of its edge's ends.
    std::vector<std::uint8_t> gripped;
    std::vector<Vec3> grip_targets;          ///< m, per forest node; valid where gripped
    std::vector<std::int32_t> required;      ///< the nodes whose `gripped` is 2
    std::vector<Candidate> candidates;       ///< the nearest first
    std::vector<const Candidate*> touching;  ///< those that touch in this sub-step
    std::vector<float> springs_on;           ///< N/m, per used node, scratch: stiffness of the contact springs on it
    /// How far a node may move in a time: twice what its speed makes of it, and what falling may add.
    struct {
        double speed = 0, slack = 0;
        double crossing = 0;  ///< s, in which the fastest node goes as far as one that may touch is from its neighbours
        double travel(double time) const { return 2 * speed * time + 40 * time * time + slack; }
    } reach;
    std::vector<float> damping_ratios;  ///< of contact, per obstacle
    std::vector<Collider> obstacles;    ///< in a part of the step, if they move; see obstacles_in
    std::vector<Vec3> fine_positions;   ///< m, per forest node: scratch of the search for contact candidates
    std::vector<Vec3> hat_loads;        ///< N, per forest node: outer load on its hat function; zero between uses
    std::vector<std::int32_t> loaded_nodes;
    std::vector<std::int32_t> wanted;   ///< split flags, as FemState::front, of the front to go over to
    std::vector<std::uint8_t> landing;  ///< per used node, scratch: 1 if a node that lands rests on it
    std::vector<SplitRequest> split_requests;
    struct {
        std::vector<std::int32_t> both;
        std::vector<std::uint8_t> movable;
        std::vector<float> stiffness;
        std::vector<Vec3d> on, off, load;
    } transfer;  ///< scratch of a change
    ActiveEdges edges;
    std::vector<float> chunk_values;
    std::span<Vec3> shear;                ///< of the state that is stepped, see FemState
    std::span<float> plastic;             ///< of the state that is stepped, see BodyState; empty: nothing flows
    std::vector<double> plastic_losses;   ///< J, scratch of flow
    std::vector<Vec3d> exact_velocities;  ///< m/s, per forest node, at the end of a step
    struct {
        std::vector<Vec3> positions, velocities;
    } stored;  ///< the state as the last step left it
    ImplicitWork implicit;
};

/// Whether all tets are at the finest level whatever the motion does.
inline bool is_full(const FemModel& model, const FemSettings& settings)
{
    return settings.refinement == Refinement::full || model.elements == Elements::nodal;
}
/// Whether steps of length dt are taken explicitly or implicitly (survey.cpp).
IntegrationChoice choose_integration(const FemModel& model, const FemSettings& settings, double dt);
constexpr double kMostSubsteps = 20000;  // explicit ones in a step; a body that needs more is stepped implicitly
/// The same of law elements if the choice is ours: their explicit sub-steps take ten times as long. A body that is
/// crushed needs hundreds of times as many as at rest.
constexpr double kMostLawSubsteps = 1000;

StepReport advance(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                   const StepInput& input, BodyState& state, Workspace& work);

/// What comes before the first sub-step: grips, and a front that can follow them and the state. A body that moves, and
/// is not held, gets a frame that falls with it. `stored`: see is_stored.
void prepare_step(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                  const StepInput& input, bool moves, bool stored, BodyState& state, Workspace& work);
/// Goes over to the front a scene prescribes for this time, if any, and takes pushes.
void follow_forced_front(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                         const StepInput& input, BodyState& state, Workspace& work, FemReport& report);

/// What a new body starts with: no tet split, no acceleration.
void start_state(const FemModel& model, BodyState& state);

// ---- the state, in and out (state_fem.cpp)
// ----------------------------------------------------------------------------

/// Nodes that are not finite get their rest position relative to the middle of the others, and no velocity. Returns how
/// many there were.
int repair_state(const FemModel& model, BodyState& state);
/// Whether this is the state the last step left.
bool is_stored(const BodyState& state, const Workspace& work);
/// The frame starts at the first node with the body's mean velocity, so that a body that only translates has no
/// velocity in it.
void place_frame(std::span<const double> masses, const BodyState& state, bool falls, Workspace& work);
/// Copies positions, velocities and accelerations of the used nodes from the state, into the frame.
void load(const BodyState& state, Workspace& work);

/// A rigid motion to be added to that of the nodes.
struct Correction {
    Vec3d shift, drift, spin, center;  ///< m, of positions; m/s, of velocities; rad/s about `center`, m
    Vec3d angular;                     ///< kg m^2/s about the centre of mass, of the corrected motion
    Mat3d inertia = Mat3d::zero();     ///< kg m^2, of the body; zero: the spin is not corrected
};
/// The correction that gives the front the momenta and the centre of mass it should have: inner forces change neither,
/// but rounding and the mass solver do.
Correction missing_momentum(const FemModel& model, const Momentum& wanted, Workspace& work);
/// Writes the corrected motion of all forest nodes to the state. Momentum that is lost when a node's velocity is
/// rounded is added to the next node, so that none is lost in the sum.
void store(const FemModel& model, std::span<const double> masses, const StepInput& input, const Correction& correction,
           BodyState& state, Workspace& work);

// ---- parts of a step, each in a file of its own ---------------------------------------------------------------------

/// Splits that a forced front asks for (front_forced.cpp).
void forced_splits(const TetForest& forest, const ForcedFront& front, std::vector<std::int32_t>& splits);

/// Splits, once each, the active tets that have or cover the edge of midpoint n: n is free then, unless some of them
/// were more than one level too coarse.
/// Returns whether any was split (select.cpp).
bool split_star(const TetForest& forest, std::int32_t n, std::vector<std::int32_t>& splits);
/// The residual or strain rule: fills work.wanted from state.fem.front; false if nothing changes (select.cpp).
bool select_levels(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                   FemReport& report);

/// Goes over to the front work.wanted, state and all, without adding energy (transfer.cpp).
void change_front(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                  FemReport& report);

/// Slows the motion that is not rigid so that this much energy goes, J; returns what could not be taken (transfer.cpp).
double take_energy(const FemModel& model, double excess, Workspace& work);

/// Of the active tets (survey.cpp).
Volumes volumes(const FemModel& model, const Workspace& work);

constexpr std::size_t kTetsPerSurvey = 512;
constexpr std::size_t kSurveyed = 5;  // values
struct Survey {
    double stable = 0;    ///< s, the longest stable sub-step
    double at_rest = 0;   ///< s, the same for the undeformed front
    double smallest = 1;  ///< volume of a tet over its volume at rest
    double good_for = 0;  ///< s, after which shapes may have changed too much for the above to hold
    int inverted = 0;
};
/// Longest stable sub-step in the present shape (survey.cpp).
Survey survey(const FemModel& model, bool barrier, Workspace& work);
/// The sub-step to take: `safety` times that of the undeformed front, divided by 1.15 as often as FemState's
/// substep_reduction, rounded up, says; which rises at once if that is not short enough.
double steady_substep(const Survey& now, double safety, float& reduction);
/// The reduction after some time: it falls to 0 in half a second unless it is needed, faster from a larger one.
float relaxed_reduction(float reduction, double time);

/// The obstacles of a step while it goes from one time since its start to another, s. At a single time: at rest there.
std::span<const Collider> obstacles_in(const StepInput& input, double from, double to, Workspace& work);
/// Loads of obstacles, and which nodes they can reach in the step from a time since its start on, within another time
/// (contact_fem.cpp).
void find_candidates(const FemModel& model, std::span<const double> masses, const StepInput& input, double since,
                     double time, Workspace& work);
void find_supports(const FemModel& model, Workspace& work);
struct OuterImpulse {
    Vec3d linear, angular;  ///< N s, and N m s about `about`
    Vec3d about;
};
/// What contact foresees, so that the next sub-step can be made short enough.
struct ContactForecast {
    double soonest = 1e30;  ///< s until another node touches, at the present speeds
    float fastest = 0;      ///< m/s, largest normal speed of a node that touches
    float springs = 0;      ///< 1/s^2, bound of the squared angular frequency of the front on its contact springs
    int touching = 0;       ///< nodes
    bool lands = false;     ///< a node that is clear touches in the next sub-step
    int held_back =
        0;  ///< nodes that springs alone would have let through an obstacle: positions and velocities changed
};
/// Of a sub-step, all in s.
struct SubstepTimes {
    double h;     ///< its length
    double last;  ///< that of the one before
    double kick;  ///< how long its forces act
    double age;   ///< since the candidates for contact were found
    double next;  ///< most that the following one may last
};
/// Adds the forces of obstacles, which moved since the candidates were last asked.
ContactForecast add_contact(std::span<const Collider> colliders, const SubstepTimes& times, Vec3 gravity,
                            Workspace& work, OuterImpulse& impulse, ContactReport& report);

/// Springs give way to what is fast or heavy: nodes that the sub-step just made pressed so deep into the nearest
/// surfaces that it could be seen stop there, or where they were if that is deeper. Returns how many. Before the frame
/// moves.
int hold_pressed(const FemModel& model, const SubstepTimes& times, Vec3 gravity, Workspace& work);

/// Holds nodes back that passed through an obstacle since they were last asked; returns how many.
int hold_passed(std::span<const Collider> colliders, Workspace& work);

/// Energy in the springs against obstacles, J.
double contact_energy(std::span<const Collider> colliders, const Workspace& work);

/// One implicit sub-step of length h, from a time since the start of the step on, contact and soft grips included;
/// `wanted` becomes the motion of the whole at its end (implicit.cpp).
void implicit_substep(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                      const StepInput& input, double since, double h, Workspace& work, Momentum& wanted,
                      StepReport& report);

}  // namespace yawara::fem
