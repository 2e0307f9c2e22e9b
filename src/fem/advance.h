// One step of a finite-element body: sub-steps, contact, grips, and the front that follows the motion.
// step (sim/step_fem.cpp) comes here; the force loop is in fem/kernels.inl.
#pragma once

#include "core/grips.h"
#include "fem/front.h"
#include "fem/mass.h"
#include "yawara/body.h"
#include "yawara/scene.h"

namespace yawara::fem {

/// A surface node of the finest level that may touch an obstacle soon.
struct Candidate {
    std::int32_t node;  ///< of the forest
    float stiffness, mass;
    Support support;
    double clear;  ///< m: no obstacle is reached before nodes may have gone this way, see Workspace::reach
    Vec3 force;    ///< of the last sub-step
};

/// How far a midpoint would leave its edge, m.
struct Wish {
    float residual;
    std::int32_t midpoint;
};

/// The edges of the active tets that have children: what the residual rule asks about. Good as long as the front is.
struct ActiveEdges {
    struct Edge {
        std::int32_t midpoint;   ///< of the forest
        std::int32_t a, b, own;  ///< places of its ends and of the midpoint, which is -1 if it is not used
        float mass;              ///< kg, of the midpoint's hat function, as far as active tets see it
        float per_force;         ///< m/N, how far it gives way
    };
    struct Tet {
        std::int32_t place;  ///< among the active ones
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
        Vec3d center, angular;  ///< of all nodes, seen from it at the start of the step
    } frame;
    Vec3 to_world(Vec3 local) const { return (frame.origin + local.as<double>()).as<float>(); }
    Vec3 velocity_in_world(Vec3 local) const { return (frame.velocity + local.as<double>()).as<float>(); }
    Nodal x, v, a;                 ///< of the used nodes; a without gravity
    Nodal force, raw_force;        ///< restricted, and as the tets left it
    Nodal push;                    ///< N, of pushes, for this step
    std::vector<Vec3> push_loads;  ///< N, the same on the hat functions of all forest nodes; empty: none
    struct GripLoad {
        std::int32_t node;  ///< of the forest
        Vec3 force;
    };
    std::vector<GripLoad> grip_loads;  ///< N, of soft grips in the last sub-step
    Nodal scratch;
    AlignedVector<float> corner_forces;
    std::vector<std::uint8_t> fixed;         ///< per used node; empty: none
    std::vector<std::int32_t> fixed_nodes;   ///< forest nodes held hard
    std::vector<Vec3> fixed_velocities;      ///< of each
    std::vector<std::uint8_t> gripped;       ///< per forest node: 1 held hard, 2 and has to be free for it
    std::vector<Vec3> grip_targets;          ///< per forest node, where gripped
    std::vector<std::int32_t> required;      ///< midpoints that have to be free: held off their edges
    std::vector<Candidate> candidates;       ///< the nearest first
    std::vector<const Candidate*> touching;  ///< of them, in this sub-step
    std::vector<float> springs_on;           ///< scratch, per node
    /// How far a node may go in a time: twice the way at the speed it had, and what falling may add.
    struct {
        double speed = 0, slack = 0;
        double way(double time) const { return 2 * speed * time + 40 * time * time + slack; }
    } reach;
    std::vector<float> damping_ratios;  ///< of contact, per obstacle
    std::vector<Vec3> fine_positions;   ///< per forest node, scratch of the search for them
    std::vector<Vec3> hat_loads;        ///< N, per forest node: outer load on its hat function; zero between uses
    std::vector<std::int32_t> loaded_nodes;
    std::vector<std::int32_t> wanted;  ///< splits after a change of the front
    std::vector<Wish> wishes;
    struct {
        std::vector<std::int32_t> both;
        std::vector<std::uint8_t> movable;
        std::vector<float> stiffness;
        std::vector<Vec3d> on, off, load;
    } transfer;  ///< scratch of a change
    ActiveEdges edges;
    std::vector<float> chunk_values;
    std::span<float> plastic;             ///< of the state that is stepped, see BodyState; empty: nothing flows
    std::vector<double> plastic_losses;   ///< J, scratch of flow
    std::vector<Vec3d> exact_velocities;  ///< m/s, per forest node, at the end of a step
    struct {
        std::vector<Vec3> positions, velocities;
    } stored;  ///< the state as the last step left it
    /// A spring that an implicit step takes to its end: of a soft grip in all directions, of an obstacle along one.
    struct Spring {
        Support at;
        Vec3 normal;      ///< zero: all directions
        Vec3 force;       ///< N, at the start of the step
        float stiffness;  ///< times h^2
        Vec3 resist(Vec3 v) const { return (normal == Vec3{} ? v : normal * dot(normal, v)) * stiffness; }
    };
    struct {
        AlignedVector<float> elastic, both;  ///< h^2 K and h^2 K + h B, 12 x 12 per active tet
        Nodal diagonal, rhs, product, direction, residual, preconditioned, dv, scratch;
        std::vector<Spring> springs;
    } implicit;  ///< scratch of implicit steps
};

StepReport advance(const FemModel& model, std::span<const double> masses, const BodySettings& settings,
                   const StepInput& input, BodyState& state, Workspace& work);

/// What comes before the first sub-step: grips, and a front that can follow them and the state. A body that moves, and
/// is not held, gets a frame that falls with it.
void prepare_step(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                  const StepInput& input, bool moves, BodyState& state, Workspace& work);
/// Goes over to the front a scene prescribes for this time, if any, and takes pushes.
void follow_forced_front(const FemModel& model, std::span<const double> masses, const FemSettings& settings,
                         const StepInput& input, BodyState& state, Workspace& work, FemReport& report);

/// What a new body starts with: no tet split, no acceleration.
void start_state(const FemModel& model, BodyState& state);

// ---- the state, in and out (state_fem.cpp)
// ----------------------------------------------------------------------------

/// Puts nodes that are not finite back to their rest place about the others' middle, at rest. Returns how many.
int repair_state(const FemModel& model, BodyState& state);
/// Whether this is the state the last step left.
bool is_stored(const BodyState& state, const Workspace& work);
/// Where the frame starts: at the first node, with the mean velocity, so that a body that only moves has none left.
void place_frame(std::span<const double> masses, const BodyState& state, bool falls, Workspace& work);
/// Values of the front's nodes.
void load(const BodyState& state, Workspace& work);

/// A rigid motion on top of the others.
struct Correction {
    Vec3d shift, drift, spin, center;
    Vec3d angular;                  ///< kg m^2/s about the centre of mass, with it
    Mat3d inertia = Mat3d::zero();  ///< zero: leave the spin as it is
};
/// Inner forces change neither momentum nor spin: what rounding and the solver left of both is to be taken off.
Correction missing_momentum(const FemModel& model, const Momentum& wanted, Workspace& work);
/// All nodes of the forest follow the front. What rounding takes of a node's momentum is given to the next one, so that
/// the whole keeps its own.
void store(const FemModel& model, std::span<const double> masses, const StepInput& input, const Correction& correction,
           BodyState& state, Workspace& work);

// ---- parts of a step, each in a file of its own ---------------------------------------------------------------------

/// Splits that a forced front asks for (front_forced.cpp).
void forced_splits(const TetForest& forest, const ForcedFront& front, std::vector<std::int32_t>& splits);

/// Splits the active tets at the edge of midpoint n, and whoever covers them, until n is free or one level was gained.
/// Returns whether any was split (select.cpp).
bool split_star(const TetForest& forest, std::int32_t n, std::vector<std::int32_t>& splits);
/// The residual or strain rule: fills work.wanted from state.fem.front; false if nothing changes (select.cpp).
bool select_levels(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                   FemReport& report);

/// Goes over to the front work.wanted, state and all, without adding energy (transfer.cpp).
void change_front(const FemModel& model, const FemSettings& settings, BodyState& state, Workspace& work,
                  FemReport& report);

constexpr std::size_t kTetsPerSurvey = 512;
constexpr std::size_t kSurveyed = 5;  // values
struct Survey {
    double stable = 0;    ///< s, the longest sub-step
    double at_rest = 0;   ///< s, the same for the undeformed front
    double smallest = 1;  ///< volume of a tet over that at rest
    double good_for = 0;  ///< s: after that, shapes may be others
    int inverted = 0;
};
/// Longest stable sub-step in the present shape (survey.cpp).
Survey survey(const FemModel& model, bool barrier, Workspace& work);
/// `safety` of it, in rungs below that of the undeformed front: BodyState::rungs, rounded up, which rises if it has to.
double steady_substep(const Survey& now, double safety, float& rungs);
/// After some time: rungs that were not needed for a while go, the more there are the sooner.
float later_rungs(float rungs, double time);

/// Loads of obstacles, and which nodes they can reach within a time (contact_fem.cpp).
void find_candidates(const FemModel& model, std::span<const double> masses, std::span<const Collider> colliders,
                     double time, Workspace& work);
void hang_candidates(const FemModel& model, Workspace& work);
struct OuterImpulse {
    Vec3d linear, angular;  ///< N s, and N m s about `about`
    Vec3d about;
};
/// What comes next.
struct Landing {
    double soonest = 1e30;  ///< s, until another node touches
    float fastest = 0;      ///< m/s, across the obstacle, of the nodes that touch
    float springs = 0;      ///< 1/s^2, above the squared frequency at which the front swings on what touches
    int touching = 0;
};
/// `h`, `kick`: how long the sub-step lasts, and its forces act; `age`: time since the candidates were found; `next`:
/// the longest that the sub-step after this one may last.
Landing add_contact(std::span<const Collider> colliders, double h, double kick, double age, double next,
                    Workspace& work, OuterImpulse& impulse, ContactReport& report);

/// J, what the springs against obstacles hold.
double contact_energy(std::span<const Collider> colliders, const Workspace& work);

/// One linearly implicit step of length h, contact and soft grips included (implicit.cpp).
void implicit_substep(const FemModel& model, const FemSettings& settings, const StepInput& input, double h,
                      Workspace& work, OuterImpulse& impulse, ContactReport& report);

}  // namespace yawara::fem
