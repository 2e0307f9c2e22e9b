// Obstacles: what a body can rest on and bump into. They move as they like, whatever bodies do.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "yawara/mesh.h"
#include "yawara/path.h"

namespace yawara {

/// Half-space: everything on the side the normal points away from is solid.
struct Plane {
    Vec3d point{};
    Vec3d normal{0, 1, 0};
};
/// A solid box, turned and moved by its placement.
struct Box {
    Vec3d half_size{1, 1, 1};
    Placement placement{};
};
struct Sphere {
    Vec3d center{};
    double radius = 1;
};
struct Capsule {
    Vec3d a{}, b{0, 1, 0};
    double radius = 0.5;
};

/// Signed distance to a closed mesh, built once: negative in the solid.
class MeshDistance {
public:
    /// Refuses an open or empty surface with the reason. Repeated vertices are joined; triangles may be turned either
    /// way and parts may overlap. `inside_out` makes a container of the mesh.
    static Result<MeshDistance> build(const TriMesh& mesh, bool inside_out = false);

    /// Distance and direction of steepest growth. Exact in the solid and close to it; farther out a rough distance,
    /// never more than twice the true one.
    struct Sample {
        float distance;
        Vec3 normal;
    };
    Sample at(Vec3 point) const;

    /// Where something that moves straight from `from` to `to` first enters the solid.
    struct Entry {
        double share;  ///< of the path from `from` to `to`, 0..1
        Vec3d normal;  ///< of the surface where it is entered
    };
    std::optional<Entry> first_entry(Vec3d from, Vec3d to) const;
    /// Holds all that is solid: the box of the mesh, or everything for a container.
    Box3 bounds() const;
    const TriMesh& mesh() const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

/// How an obstacle moves in a step: where the frame is in which its shape is described.
struct ColliderMotion {
    Placement start{}, end{};  ///< of the step
    Vec3d belt{};              ///< m/s, of its surface along itself
    double duration = 0;       ///< s, of the step; 0: it stays at `end`

    bool moves() const { return duration > 0; }
    /// Where a point that moves with the obstacle is at the end of the step.
    Vec3d carry(Vec3d at_start) const { return end(start.undo(at_start)) + belt * duration; }
    /// The motion from one share of the step to another, along a screw.
    ColliderMotion part(double from, double to) const;
};

struct Collider {
    std::variant<Plane, Box, Sphere, Capsule, MeshDistance> shape = Plane{};
    float friction = 0.5f;     ///< Coulomb: tangential speed lost is at most this times the change of the normal speed
    float restitution = 0.0f;  ///< share of the normal speed given back
    std::optional<float> friction_along{};  ///< of bodies with muscles, along their fibres; none: as across them
    Path path{};                            ///< leads it in a Scene; empty: it stays, or the program moves it
    Vec3d belt{};                           ///< m/s, of its surface along itself, in its own frame: a conveyor
    /// Where it is in a step, set by Scene; none: where its shape says, at rest.
    std::optional<ColliderMotion> motion{};
};

/// What contact did to a body in one step.
struct ContactReport {
    int contacts = 0;      ///< particles that were inside an obstacle
    float deepest = 0.0f;  ///< largest distance a particle had to be moved out of one, m
    int wedged = 0;        ///< particles for which the obstacles leave no free room: moved out of the deepest only
    int touches = 0;       ///< surface particles that touched, or were touched by, another body or a fold of their own
    float overlap = 0.0f;  ///< deepest that is left after the response, as a share of the body's size

    void add(const ContactReport& later);  ///< of a following sub-step: the larger of each
};

}  // namespace yawara
