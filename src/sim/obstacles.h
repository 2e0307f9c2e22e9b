// The obstacles of a scene: where paths and the program lead them, step by step.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "contact/deforming_mesh.h"
#include "core/id_table.h"
#include "yawara/scene.h"

namespace yawara {

/// What a step asks of an obstacle: all but what leads it.
void copy_for_step(const Collider& from, Collider& to);

class Obstacles {
public:
    ColliderId add(Collider collider, double time);
    Status remove(ColliderId id);
    Status replace(ColliderId id, Collider with, double time);
    /// There in so many steps.
    Status move(ColliderId id, const Placement& to, int steps);
    Status deform(ColliderId id, std::span<const Vec3d> vertices, int steps);

    const IdTable<ColliderId>& ids() const { return ids_; }
    std::span<const Collider> all() const { return colliders_; }
    static Error stale();

    /// Those on paths and with animations are where they are at a time, at rest.
    void set_time(double time);
    std::vector<SceneMoment::Obstacle> moment() const;
    /// Those that were there then, and are not led by paths and animations.
    void go_to(std::span<const SceneMoment::Obstacle> moment);

    /// They go where paths and the program lead them in a step of dt; near(collider) is called for those that move.
    void advance(double time, double dt, const std::function<void(const Collider&)>& near);
    /// As they are in one of the slices of the step.
    void cut(int slice, int slices);
    std::span<const Collider> in_slice() const { return sliced_.empty() ? std::span(colliders_) : sliced_; }

private:
    /// Where the program wants an obstacle, and in how many steps it has to be there.
    struct Target {
        Placement placement;
        int steps = 0;
    };
    /// A mesh whose vertices move.
    struct Deforming {
        contact::DeformingMesh mesh;
        std::vector<Vec3d> built;        ///< its vertices without any motion
        std::vector<Vec3d> next;         ///< where they are at the end of the step
        std::vector<Vec3d> target = {};  ///< where the program wants them
        int steps = 0;                   ///< in how many steps they have to be there
    };
    void place(std::size_t k, double time);
    Deforming& deforming(std::size_t k);
    bool advance_shape(std::size_t k, double time, double dt);
    bool any_moves() const;

    std::vector<Collider> colliders_;
    std::vector<Target> targets_;                      ///< per obstacle
    std::vector<std::optional<Deforming>> deforming_;  ///< per obstacle: those whose vertices have moved
    std::vector<Collider> sliced_;                     ///< in a slice of the step, if they move
    IdTable<ColliderId> ids_;
};

}  // namespace yawara
