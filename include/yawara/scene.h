// Bodies, obstacles and time. Scene::step (sim/scene.cpp) -> step (sim/solid_kind.cpp) -> the step of its kind.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "yawara/body.h"
#include "yawara/collider.h"
#include "yawara/drawing.h"
#include "yawara/events.h"
#include "yawara/id.h"
#include "yawara/jobs.h"
#include "yawara/joint.h"
#include "yawara/script.h"
#include "yawara/topology.h"

namespace yawara {

enum class Phase { match, goals, integrate, contact, count };
std::string_view to_string(Phase phase);

/// What only a matching body reports of a step.
struct MatchingReport {
    int passes = 0;            ///< made
    int restarts = 0;          ///< accelerated passes that overshot and were continued by a plain one
    int robust_rotations = 0;  ///< regions whose quick rotation did not converge, so that the robust one was taken
    int implicit = 0;          ///< 1: accelerated passes began where the particles would have gone, see matching/passes.h

    void add(const MatchingReport& later);  ///< of a following sub-step: the larger of each
};

/// What is left of the shape that a body was built with. Measured once a frame, by Scene::step alone.
struct ShapeReport {
    /// Root mean square length of the edges of its outer triangles, over that at rest: parts that nothing connects may
    /// fly apart, and what lay coiled up may unroll; neither is growth.
    float size = 1;
    float volume = 1;     ///< enclosed by its outer triangles, over that at rest; negative: inside out
    float collapsed = 0;  ///< s, how long the volume has been less than a fifth

    /// Several times its size: no motion of an elastic body, unless something pulls it apart.
    bool has_grown() const { return !(size <= 3); }
    /// Flat or inside out for a second: more than a blow.
    bool has_collapsed() const { return collapsed >= 1; }

    void add(const ShapeReport& later);  ///< of a following sub-step: the later
};

/// What happened to one body in one step.
struct StepReport {
    std::array<double, static_cast<std::size_t>(Phase::count)> seconds{};  ///< wall time by phase
    int inverted = 0;                                                      ///< regions or tets that were inside out
    int repaired_particles = 0;  ///< particles that would have become non-finite and were stopped, or that a state lacked
    int repaired_numbers = 0;    ///< of the settings and of what acts from outside: not usable, replaced for the step
    ShapeReport shape;
    ContactReport contact;
    double kinetic_energy = 0;  ///< J, at the end of the step; this and the next four only if settings.measure
    double elastic_energy = 0;  ///< J, at the start of the step
    Vec3d momentum;             ///< kg m/s, at the end of the step
    Vec3d angular_momentum;     ///< kg m^2/s about the centre of mass, likewise
    Vec3d center;               ///< of mass, m, likewise
    MatchingReport matching;    ///< of a matching body
    FemReport fem;              ///< of a finite-element body

    void add(const StepReport& later);  ///< of a following sub-step: times add up, counts take the larger, energies the later
};

/// Height of a water's surface above its level, m, at x, z and a time.
using Waves = std::function<double(double x, double z, double time)>;

/// Water or air around all bodies, or, with a level or a box, where it ends.
struct Medium {
    float drag = 0;     ///< kg/m^3: pressure on a surface is this times the square of its speed; 0: none
    float density = 0;  ///< kg/m^3 of what a body displaces: buoyancy
    Vec3 current{};     ///< m/s
    std::optional<float> level{};          ///< m, height of its surface; none: it is everywhere
    std::optional<Box3> box{};             ///< it is in there alone
    std::shared_ptr<const Waves> waves{};  ///< on its level

    bool is_everywhere() const { return !level && !box; }
};

/// What pushes a body during one step.
struct StepInput {
    double dt = 1.0 / 300.0;  ///< s
    double time = 0;          ///< at the start of the step
    Vec3 gravity{0, -9.8f, 0};
    Medium medium{};
    std::span<const Collider> colliders;
    std::span<const Grip> grips;
    std::span<const Push> pushes;
    double grip_steps = 1;  ///< after how many such steps hard grips reach their targets; of finite elements only
};

/// Scratch memory of one body; made once, so that step allocates nothing.
class Workspace {
public:
    explicit Workspace(const BodyModel& model);
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;
    struct Data;
    Data& data() { return *data_; }

private:
    std::unique_ptr<Data> data_;
};

/// Advance one body by one step. Never fails; what had to be repaired is in the report.
StepReport step(const BodyModel& model, const BodySettings& settings, const StepInput& input, BodyState& state,
                Workspace& workspace);

/// How an equilibrium was found.
struct SettleReport {
    int rounds = 0;        ///< of Newton's method
    double residual = 0;   ///< largest unbalanced force, as a share of the largest nodal force
    int active_tets = 0;
};

/// Puts a finite-element body into the equilibrium of its inner forces, gravity, grips and pushes (finite strain, in
/// double); obstacles are not asked. Refused if nothing holds it, or if it is not a finite-element body.
Result<SettleReport> settle(const BodyModel& model, const BodySettings& settings, const StepInput& input, BodyState& state,
                            Workspace& workspace);

struct SceneSettings {
    double dt = 1.0 / 60.0;      ///< s, of one frame
    int substeps = 5;            ///< steps in a frame
    Vec3 gravity{0, -9.8f, 0};
    Medium medium{};
    int threads = 0;             ///< 0: all cores. The result is the same for any number
    Jobs* jobs = nullptr;        ///< threads of the host, instead of those of the library; not owned
    bool sleep = false;          ///< bodies nearly at rest for half a second stop, until something moving touches them
    bool events = true;          ///< false: touches and events are not collected, for programs that never ask for them
};

/// A scene at a time: all that moves, and what it needs to move on. A value; models and scripts in it are shared.
struct SceneMoment {
    struct Body {
        BodyId id;
        BodyModel model;
        std::shared_ptr<const Script> script;
        BodyState state;
        ShapeReport shape;        ///< of the last frame
        bool slept, exploded;     ///< as events told
    };
    /// An obstacle that the program moves; paths are a matter of the time.
    struct Obstacle {
        ColliderId id;
        std::optional<ColliderMotion> motion;
        Placement target;       ///< where it goes
        int steps_to_target;    ///< 0: it is there
        std::vector<Vec3d> vertices, target_vertices;  ///< of a mesh that the program deforms
        int steps_to_shape;                            ///< 0: its vertices are there
    };
    /// Who touched whom in the last frame: such a touch stays or ends in the next.
    struct Touch {
        BodyId body;
        std::variant<BodyId, ColliderId> other;
        Vec3d point, normal;  ///< sums over what touched, times `weight`
        double weight;
        bool sensor;
    };
    std::vector<Body> bodies;
    std::vector<Obstacle> obstacles;
    std::vector<Touch> touches;
    std::int64_t steps = 0;
    double time = 0;  ///< s
};

/// Several bodies stepped together. Bodies and obstacles are named by ids; one that was removed names nothing any more:
/// the accessors throw Exception for it, remove and replace give an Error.
class Scene {
public:
    explicit Scene(SceneSettings settings = {});
    ~Scene();
    Scene(Scene&&) noexcept;
    Scene& operator=(Scene&&) noexcept;

    // ---- bodies

    BodyId add(BodyModel model, BodySettings settings = {}, const Placement& placement = {}, Vec3d velocity = {},
               Vec3d spin = {});
    BodyId add(BodyModel model, BodySettings settings, BodyState state);
    Status remove(BodyId body);
    /// The body goes on with another model: its motion, settings, grips and pushes are carried over, its id stays.
    /// Where the particles of the new model come from is told by `change`, or found by their places at rest.
    Result<TopologyChange> replace(BodyId body, BodyModel model);
    Status replace(BodyId body, BodyModel model, const TopologyChange& change);
    /// A copy of the body's model takes its place, see BodyModel::renamed and with_charts: nothing else changes, and
    /// nothing is prepared again. Refused: a model of another revision.
    Status revise(BodyId body, BodyModel model);

    std::span<const BodyId> bodies() const;  ///< in the order they were added; reports come in the same
    bool contains(BodyId body) const;
    std::optional<BodyId> find(std::string_view name) const;  ///< the first body of that name

    const BodyModel& model(BodyId body) const;
    BodySettings& body_settings(BodyId body);
    BodyState& state(BodyId body);
    const BodyState& state(BodyId body) const;
    std::vector<Grip>& grips(BodyId body);   ///< besides those of its script
    std::vector<Push>& pushes(BodyId body);  ///< likewise
    /// What happens to the body by plan: applied before every step.
    void set_script(BodyId body, Script script);
    const Script& script(BodyId body) const;
    /// What its script holds: as of the last step, or of the start. In the order of the script.
    std::span<const Grip> scripted_grips(BodyId body) const;
    /// Positions of the render surface, computed on demand.
    std::span<const Vec3> surface(BodyId body);
    /// The same for a graphics card, with normals, tangents and more. Computed when it is first asked for after a step,
    /// or after state() was; valid until it is computed again. After set_clock, go_to and restore, nothing has moved.
    Drawing drawing(BodyId body);

    // ---- obstacles

    ColliderId add(Collider collider);
    Status remove(ColliderId collider);
    /// Another shape, place or friction, at once; wakes all bodies.
    Status replace(ColliderId collider, Collider with);
    /// Where the obstacle is at the end of the next frame: it goes there evenly, along a screw, and stays unless it is
    /// moved again. Bodies feel its velocity. Refused: a removed one, one on a path, or what is no rotation and move.
    Status move(ColliderId collider, const Placement& to);
    /// Where the vertices of a mesh obstacle are at the end of the next frame, in its own frame: they go there evenly,
    /// and stay unless they are moved again. Bodies feel their velocity. Refused: a removed one, one that is no mesh or
    /// has an animation, another number of vertices, or what is not finite.
    Status deform(ColliderId collider, std::span<const Vec3d> vertices);
    std::span<const Collider> colliders() const;       ///< in the order they were added; Collider::motion: where they are
    std::span<const ColliderId> collider_ids() const;  ///< likewise
    bool contains(ColliderId collider) const;
    const Collider& collider(ColliderId collider) const;

    // ---- joints, and who leaves whom alone

    /// Where the bodies are now is what it holds. Refused: a body that does not exist, a joint of the world with itself,
    /// numbers that are none.
    Result<JointId> add(Joint joint);
    Status remove(JointId joint);
    std::span<const JointId> joints() const;  ///< in the order they were added
    bool contains(JointId joint) const;
    /// Limits, motors and lengths of ropes may change while it holds.
    Joint& joint(JointId joint);
    const Joint& joint(JointId joint) const;
    /// Two bodies pass through each other, or no longer do. Refused: a removed one.
    Status ignore(BodyId one, BodyId other, bool ignored = true);
    bool ignores(BodyId one, BodyId other) const;

    // ---- events

    /// Who touched whom in the last frame (or the last substep(), if that was called): by the order of bodies; of a body
    /// first other bodies, then obstacles. Of a pair that still touches, and once more when it has ended.
    std::span<const TouchEvent> touches() const;
    /// What else happened in it.
    std::span<const SceneEvent> events() const;
    /// Called before every sub-step with its length, s; it may change forces, settings and motors, but may not add or
    /// remove.
    void set_hook(std::function<void(Scene&, double)> hook);

    // ---- time

    /// One frame: `substeps` steps. Reports of the bodies, in order, valid until the next call.
    std::span<const StepReport> step();
    /// One step of dt / substeps.
    std::span<const StepReport> substep();

    /// See settle() above, with the body's grips and pushes as they are now.
    Result<SettleReport> settle(BodyId body);

    SceneSettings& settings();
    const SceneSettings& settings() const;
    double time() const;            ///< s since the start
    std::int64_t step_count() const;
    /// Continue from elsewhere: sets the clock.
    void set_clock(std::int64_t steps, double time);
    /// What is needed to come back to now, also after bodies were replaced.
    SceneMoment moment() const;
    /// Back to a moment of this scene: bodies that were replaced since have their former models and scripts again.
    /// Refused if bodies were added or removed since. Obstacles that were added since stay where they are.
    Status go_to(const SceneMoment& moment);
    /// A moment as bytes, with what holds and pushes bodies, joints, and who ignores whom: enough to go on with the same
    /// bits in a scene that was built alike, in this program or another. Scripts and settings are not in it.
    std::string snapshot() const;
    /// Goes on from a snapshot. Refused, with what differs, if bodies, obstacles or joints are others; then, and if it
    /// is damaged, nothing changes. `name`: of the snapshot, for errors.
    Status restore(std::string_view snapshot, std::string_view name = "snapshot");
    /// Nobody sleeps any more.
    void wake_all();

    /// A fingerprint of all positions and velocities: equal bits, equal hash.
    std::uint64_t hash() const;

private:
    struct Data;
    std::unique_ptr<Data> data_;
};

}  // namespace yawara
