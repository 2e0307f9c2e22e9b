// A mesh obstacle whose vertices move: its pose at the start and at the end of a step.
#pragma once

#include <span>

#include "yawara/collider.h"

namespace yawara::contact {

/// Trees follow the vertices instead of being made anew, and no grid is filled: allocates nothing after the first step.
/// Copies of its shape change with it.
class DeformingMesh {
public:
    explicit DeformingMesh(const MeshDistance& rest);

    /// The vertices go from where they are to here, one for each of the mesh, in a step.
    void advance(std::span<const Vec3d> vertices);
    /// They are here, at rest.
    void place(std::span<const Vec3d> vertices);
    /// They stay where they are.
    void rest() { moves_ = false; }

    std::span<const Vec3d> vertices() const;
    MeshDistance shape() const;

private:
    std::shared_ptr<MeshDistance::Data> start_, end_;
    bool moves_ = false;
};

}  // namespace yawara::contact
