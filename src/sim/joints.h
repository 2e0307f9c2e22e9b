// The joints of a scene: what they hold of their bodies, and what contact has to keep together in a step.
#pragma once

#include <span>
#include <vector>

#include "contact/links.h"
#include "core/id_table.h"
#include "sim/rigid_solid.h"
#include "yawara/scene.h"

namespace yawara {

/// A body as joints see it.
struct JointedBody {
    JointedBody(const BodyModel& its_model, const BodyState& its_state, const RigidPose* before = nullptr);
    const BodyModel* model;
    const BodyState* state;
    std::optional<RigidPose> pose;  ///< of a rigid one
    const RigidPose* pose_before;   ///< at the start of a step, of a rigid one
};

class Joints {
public:
    /// A point of a body, whatever its shape becomes.
    struct Anchor {
        Vec3d offset;  ///< of a rigid body: from its centre of mass at rest; of the world: where it is
        std::vector<std::int32_t> particles;
        std::vector<float> weights;  ///< adding up to 1
    };
    /// Two points, one on each side, that are held together.
    using Pair = std::array<Anchor, 2>;
    struct Held {
        Joint joint;
        std::vector<Pair> pairs;
        std::array<std::array<Anchor, 2>, 2> levers;  ///< of a hinge, per side: on both sides of its axis
        double lever = 0;                             ///< m, how far these are apart
    };

    /// `bodies`: those of the sides, where they are now; null: the world.
    Result<JointId> add(Joint joint, const JointedBody* a, const JointedBody* b);
    Status remove(JointId joint);
    static Error stale();

    const IdTable<JointId>& ids() const { return ids_; }
    Joint& joint(std::size_t k) { return all_[k].joint; }
    const Joint& joint(std::size_t k) const { return all_[k].joint; }
    std::span<const Held> held() const { return all_; }
    void set_held(std::vector<Held> held) { all_ = std::move(held); }  ///< as many as there are
    bool empty() const { return all_.empty(); }
    bool holds(BodyId body) const;
    bool is_driven(BodyId body) const;  ///< by a motor

    /// Joints of a body that is removed are gone: their ids.
    std::vector<JointId> drop(BodyId body);
    /// The particles of a body have changed; those joints that lost all of theirs are gone: their ids.
    std::vector<JointId> carry(BodyId body, const TopologyChange& change);

    /// What a step or slice has to keep, before contact.
    void view(std::span<const JointedBody> bodies, const IdTable<BodyId>& ids, contact::Links& links) const;

private:
    static Anchor anchor(const JointedBody* body, Vec3d point, std::span<const std::int32_t> particles);
    static Vec3d position(const JointedBody* body, const Anchor& anchor);
    static void view(std::int32_t index, const JointedBody* body, const Anchor& anchor, contact::LinkSide& side);
    static Result<Held> hold(Joint joint, const JointedBody* a, const JointedBody* b);
    static void view(const Held& held, const Hinge& hinge, std::array<std::int32_t, 2> indices,
                     std::array<const JointedBody*, 2> bodies, contact::Turn& turn);
    void erase(std::size_t k);

    std::vector<Held> all_;
    IdTable<JointId> ids_;
};

}  // namespace yawara
