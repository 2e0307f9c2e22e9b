// What a Scene consists of. Its public functions are in sim/scene.cpp, the phases of a sub-step in sim/scene_step.cpp.
#pragma once

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <optional>

#include "contact/body_contact.h"
#include "contact/clearances.h"
#include "core/id_table.h"
#include "matching/damping.h"
#include "sim/body_drawing.h"
#include "sim/joints.h"
#include "sim/matching_pool.h"
#include "sim/obstacles.h"
#include "sim/shape_gauge.h"
#include "sim/slices.h"
#include "sim/touch_log.h"
#include "yawara/jobs.h"

namespace yawara {

struct Scene::Data {
    struct Body {
        BodyModel model;
        BodySettings settings;
        BodyState state;
        Workspace workspace;
        std::vector<Grip> grips;
        std::vector<Push> pushes;
        std::shared_ptr<const Script> script;
        std::vector<Grip> scripted_grips, all_grips;  ///< of the script; of both, for the step
        std::vector<Push> scripted_pushes, all_pushes;
        std::vector<Vec3> surface;
        std::shared_ptr<const contact::BodySurface> outside;    ///< what others touch; shared by bodies of one model
        std::vector<Vec3> positions_before, velocities_before;  ///< at the start of the step or slice
        std::vector<float> inverse_masses;                      ///< 0 for particles that grips hold
        matching::RigidDamping contact_damping;                 ///< takes vibrations off bodies that touch others
        std::vector<Vec3> start;        ///< positions at the start of the step, if bodies sleep or it is rigid
        SlicedMotion sliced_motion;     ///< of a step that is cut into slices
        contact::FloatBox swept_box{};  ///< in the coming step, if that may be
        float fastest = 0;              ///< speed of its fastest particle, m/s
        Quickness quickness{};          ///< if it may meet another too quickly
        int slices = 1;                 ///< it wants when it is near others
        bool driven = false, asleep = false, moving = false;
        bool lies = false;   ///< rigid and at rest on something: it is kept where it is
        bool swift = false;  ///< goes along its step in slices because of its speed: obstacles answer in each
        ShapeGauge shape{};
        BodySettings usable{};                     ///< settings without numbers that are not finite
        RigidPose pose_before{};                   ///< of a rigid body, at the start of the step or slice
        contact::RigidMotion motion{};             ///< of a rigid body, as contact sees and changes it
        std::vector<Collider> some_obstacles{};    ///< those that it meets, if not all
        std::vector<std::size_t> some_indices{};   ///< of these among all
        std::vector<std::int32_t> ignored{};       ///< bodies that it passes through, sorted
        Vec3d pushed{};                            ///< kg m/s: by obstacles in the frame, if it is not rigid
        std::optional<Vec3d> momentum{};           ///< kg m/s: after its last step, if nothing has changed it since
        bool slept = false, exploded = false;      ///< at the end of the last frame
        std::span<const Collider> obstacles{};     ///< that it meets in the step or slice
        std::optional<BodyDrawing> drawing{};      ///< made when it is first asked for
        bool drawn = false;                        ///< `drawing` is of now
        std::vector<Vec3> velocities_untouched{};  ///< before contact, if examples listen to that
        contact::Clearances clearances{};          ///< of the points of `surface`
        std::shared_ptr<MatchingPool> pool{};      ///< of bodies of its model, if there are several

        bool meets(const Collider& collider) const;
    };
    SceneSettings settings;
    std::vector<Body> bodies;
    IdTable<BodyId> body_ids;
    Obstacles obstacles;
    std::vector<StepReport> reports, last;  ///< of the frame so far, of the last sub-step
    std::vector<ShapeReport> shapes;        ///< of the last frame
    contact::BodyContact contact;
    std::vector<contact::ContactBody> contact_bodies;  ///< views of the bodies
    Joints joints;
    contact::Links links;                            ///< what the joints ask of the present step or slice
    std::vector<JointedBody> jointed;                ///< views of the bodies, if there are joints
    std::vector<std::pair<BodyId, BodyId>> ignored;  ///< each sorted
    TouchLog touch_log;
    std::vector<TouchLog::Found> obstacle_touches;  ///< of the body that is being looked at
    std::vector<std::int32_t> maybe_touching;       ///< particles of that body
    std::vector<SceneEvent> events, coming_events;  ///< of the last frame; of the next, so far
    std::function<void(Scene&, double)> hook;
    std::vector<ContactReport> contact_reports;  ///< what bodies did to each other in the last sub-step
    Vec3 last_gravity{};                         ///< of the last sub-step, or of the start
    std::int64_t steps = 0;
    double time = 0;
    std::uint64_t ticks = 0;      ///< sub-steps that were made, whatever the clock says
    bool is_last_substep = true;  ///< of its frame: the one whose energies are reported
    int arena_size = 0;
    std::optional<tbb::task_arena> arena;

    template <class Body>
    void on_workers(const Body& body)
    {
        if (settings.jobs) {
            const JobsScope scope(settings.jobs);
            return body();
        }
        const auto most = int(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
        const int wanted = settings.threads > 0 ? std::min(settings.threads, most) : most;
        if (!arena || arena_size != wanted) {
            arena.reset();
            arena.emplace(wanted);
            arena_size = wanted;
        }
        arena->execute(body);
    }

    static Error stale_body()
    {
        return {"scene", "there is no body with this id: it was removed, or belongs elsewhere"};
    }
    std::size_t index(BodyId id) const
    {
        if (const auto found = body_ids.index(id)) return *found;
        throw Exception(stale_body());
    }
    std::size_t index(ColliderId id) const
    {
        if (const auto found = obstacles.ids().index(id)) return *found;
        throw Exception(Obstacles::stale());
    }

    std::size_t index(JointId id) const
    {
        if (const auto found = joints.ids().index(id)) return *found;
        throw Exception(Joints::stale());
    }

    // ---- sim/scene.cpp

    Body make_body(BodyModel model, BodySettings body_settings, BodyState state) const;
    void set_script(Body& b, std::shared_ptr<const Script> script);
    /// The body becomes another: what the host holds and pushes follows its particles.
    void replace(Body& b, BodyModel model, BodyState state, const TopologyChange& change,
                 std::shared_ptr<const Script> script);
    /// What contact remembers between steps only saves time.
    void renew_contact();
    /// What was kept for the body that lay at an index.
    void forget_body(std::size_t index);
    /// Where the surface of a body is now.
    void draw(Body& b) const;
    /// Bodies of one model share their scratch if they keep nothing in it.
    void share_scratch(Body& b);
    void wake_all();
    /// Tells bodies whom they ignore.
    void list_ignored();
    void lose(std::span<const JointId> joints);
    void restore_touches(std::span<const SceneMoment::Touch> touches);
    double step_length() const { return settings.dt / std::max(settings.substeps, 1); }

    // ---- sim/scene_step.cpp

    void substep();
    /// Sizes and volumes at the end of a frame.
    void measure_shapes();
    /// What holds and pushes a body in the coming step: first its script, then what the host added.
    void follow_script(Body& b, double dt) const;

    // ---- sim/scene_rest.cpp

    void rest_bodies(double dt);
    void hold_lying(double dt);

    // ---- sim/scene_events.cpp

    /// Events of what happens from here on, until the next; and of what was found.
    void begin_events();
    /// After bodies or obstacles were removed.
    void reorder_touches();
    void end_events(std::span<const StepReport> of_bodies);

private:
    bool enter();
    void wake_beside(const Collider& collider);
    void choose_obstacles(Body& b, std::span<const Collider> all) const;
    int begin_step(double dt);
    bool may_meet_post(const Body& b, double dt) const;
    bool are_quick(double dt);
    int slices_of_quick(double dt);
    static float strike_speed(const Body& b, double dt);
    void step_body(std::size_t k, double dt, int slices = 1);
    void step_slice(std::size_t k, int slice, int slices, double dt);
    bool meet() const;
    static bool stirs(const Body& b);
    static void hear_contact(Body& b);
    void view_bodies(double step);
    void resolve_contact(double step, int slices);

    bool is_left_alone(const Body& b) const;
    void log_pairs();
    void log_rigid(std::size_t k);
    void log_soft(std::size_t k);
    std::span<const std::int32_t> maybe_touching_obstacle(Body& b, std::size_t obstacle, double near);
    void log_sensors(std::size_t k);
};

}  // namespace yawara
