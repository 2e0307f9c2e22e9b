// Obstacles: what a body can rest on and bump into. They move as they like, whatever bodies do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

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
    /// No more than the distance, m; less than it only if already that is more than `enough`, and then found soon.
    double clearance(Vec3 point, double enough) const;

    /// Where something that moves straight from `from` to `to` first enters the solid.
    struct Entry {
        double share;  ///< of the path from `from` to `to`, 0..1
        Vec3d normal;  ///< of the surface where it is entered
    };
    std::optional<Entry> first_entry(Vec3d from, Vec3d to) const;
    /// Holds all that is solid: the box of the mesh, or everything for a container.
    Box3 bounds() const;
    const TriMesh& mesh() const;

    /// Whether its vertices move in this step, see contact/deforming_mesh.h; all else is of the end of the step.
    bool deforms() const { return start_ != nullptr; }
    /// Where a point that moves with the nearest point of the surface is at the end of the step.
    Vec3d carry(Vec3d at_start) const;
    /// Where it was at the start.
    Vec3d carry_back(Vec3d at_end) const;
    /// m, farthest that a vertex goes in the step.
    double travel() const;
    /// The motion from one share of the step to another.
    MeshDistance part(double from, double to) const;

    struct Data;  // src/contact/mesh_data.h
    MeshDistance() = default;
    MeshDistance(std::shared_ptr<const Data> end, std::shared_ptr<const Data> start)
        : data_(std::move(end)), start_(std::move(start))
    {
    }
    const std::shared_ptr<const Data>& data() const { return data_; }

private:
    Vec3d shift(Vec3d point) const;

    std::shared_ptr<const Data> data_;   ///< at the end of the step
    std::shared_ptr<const Data> start_;  ///< at its start, if it deforms
    double from_ = 0, to_ = 1;           ///< shares of the step that this is about
};

/// How the vertices of a mesh obstacle move: straight from frame to frame, at rest before the first and after the last.
struct MeshAnimation {
    std::vector<std::vector<Vec3>> frames;  ///< m, per frame one position per vertex of the mesh
    double start = 0;                       ///< s, time of the first frame
    double rate = 24;                       ///< frames per second
    bool repeat = false;                    ///< begins again with the first frame after the last

    /// Where the vertices are at a time.
    void at(double time, std::span<Vec3d> vertices) const;
};

/// Who meets whom: two meet if each has a group that the other's mask names.
struct ContactFilter {
    std::uint32_t groups = 1;    ///< bits: to which it belongs
    std::uint32_t mask = ~0u;    ///< bits: which groups it meets
    bool sensor = false;         ///< its touches are reported, but push nobody

    bool meets(const ContactFilter& other) const { return (groups & other.mask) != 0 && (other.groups & mask) != 0; }
    friend bool operator==(const ContactFilter&, const ContactFilter&) = default;
};

/// How an obstacle moves in a step: where the frame is in which its shape is described.
struct ColliderMotion {
    Placement start{}, end{};  ///< of the step
    Vec3d belt{};              ///< m/s, of its surface along itself
    double duration = 0;       ///< s, of the step; 0: it stays at `end`

    bool moves() const { return duration > 0; }
    /// Where a point that moves with the frame is at the end of the step.
    Vec3d carry(Vec3d at_start) const { return end(start.undo(at_start)) + belt * duration; }
    /// The motion from one share of the step to another, along a screw.
    ColliderMotion part(double from, double to) const;
};

struct Collider {
    std::variant<Plane, Box, Sphere, Capsule, MeshDistance> shape = Plane{};
    float friction = 0.5f;     ///< Coulomb: tangential speed lost is at most this times the change of the normal speed
    float restitution = 0.0f;  ///< share of the normal speed given back
    std::optional<float> friction_along{};  ///< of bodies with muscles, along their fibres; none: as across them
    ContactFilter filter{};
    Path path{};                            ///< leads it in a Scene; empty: it stays, or the program moves it
    Vec3d belt{};                           ///< m/s, of its surface along itself, in its own frame: a conveyor
    /// Leads the vertices of a mesh in a Scene; none: they stay, or the program moves them.
    std::shared_ptr<const MeshAnimation> animation{};
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
